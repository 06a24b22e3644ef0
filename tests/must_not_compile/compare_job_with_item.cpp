// expect: no match for 'operator=='|invalid operands to binary expression
#include "pawl/core/ids.hpp"

int main() { return pawl::JobId{1} == pawl::ItemId{1} ? 0 : 1; }
