#pragma once

/// Damages valid text as disks, editors and attackers do. Deterministic.

#include <random>
#include <string>

namespace pawl::testing {

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (unsigned changes = 1 + pick(3); changes > 0; --changes) change(text);
    return text;
  }

 private:
  unsigned pick(std::size_t below) {
    return below == 0 ? 0 : static_cast<unsigned>(random_() % below);
  }
  char any_char() {
    constexpr std::string_view sharp = "\"\\{}[],:=0-9eE.\n\tnul\x80\xff";
    return pick(2) == 0 ? sharp[pick(sharp.size())] : static_cast<char>(pick(256));
  }
  void change(std::string& text) {
    const std::size_t at = pick(text.size() + 1);
    switch (pick(5)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.insert(at, 1, any_char());
        break;
      case 2:
        text.erase(at, 1 + pick(4));
        break;
      case 3:
        text.insert(at, text.substr(pick(text.size() + 1), pick(12)));
        break;
      default:
        if (at < text.size()) text[at] = any_char();
    }
  }

  std::mt19937 random_;
};

}  // namespace pawl::testing
