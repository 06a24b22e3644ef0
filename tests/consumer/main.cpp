#include <iostream>

#include <pawl/pawl.hpp>
#include <pawl/version.hpp>

int main() {
  std::cout << "pawl " << pawl::version << '\n';
  return pawl::version.empty() ? 1 : 0;
}
