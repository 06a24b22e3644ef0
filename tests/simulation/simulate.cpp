#include "simulation/simulate.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "pawl/store/sqlite.hpp"
#include "simulation/shrink.hpp"
#include "simulation/simulation.hpp"
#include "temporary_folder.hpp"

namespace pawl::simulation {
namespace {

using Steady = std::chrono::steady_clock;

struct Wish {
  std::vector<std::uint64_t> seeds;  ///< only these
  std::uint64_t first = 1;
  std::uint64_t steps = 1'000'000;
  Duration time{0};
  std::string keep;    ///< the file for failing seeds
  std::string report;  ///< a file for a copy of the summary
  bool is_broken = false;
  bool tells = false;
  bool on_sqlite = false;
};

std::atomic<std::uint64_t> current_seed = 0;
std::atomic<bool> is_broken_on_purpose = false;
const char* keep_file = nullptr;  ///< the file that on_abort writes to

/// A `require` of the code failed: print the seed.
void on_abort(int) {
  char text[64] = "seed ";
  std::size_t end = std::strlen(text);
  char digits[24];
  std::size_t count = 0;
  for (std::uint64_t left = current_seed; left > 0 || count == 0; left /= 10) {
    digits[count++] = static_cast<char>('0' + left % 10);
  }
  while (count > 0) text[end++] = digits[--count];
  std::memcpy(text + end, ": stopped by an assertion\n", 26);
  (void)!::write(STDERR_FILENO, text, end + 26);
  if (keep_file != nullptr && !is_broken_on_purpose) {
    const int file = ::open(keep_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    // Without "seed ", which a line of the file does not have.
    (void)!::write(file, text + 5, end - 5);
    (void)!::write(file, "  # stopped by an assertion\n", 28);
  }
  ::_exit(is_broken_on_purpose ? 0 : 1);
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = 3; i < text.size(); i += 4) text.insert(text.size() - i, ",");
  return text;
}

[[noreturn]] void refuse(const std::string& why) {
  std::cerr
      << "simulate: " << why
      << "\nusage: simulate [--seed N]... [--replay FILE] [--first N] [--steps N] [--for 10m] "
         "[--keep FILE] [--report FILE] [--sqlite] [--broken]\n";
  std::exit(2);
}

std::uint64_t number_in(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse(option + " wants a number, not '" + text + "'");
  }
  return value;
}

Duration time_in(const std::string& text) {
  if (text.empty()) refuse("--for wants a time, as in 90s, 10m, 2h");
  const std::uint64_t value = number_in("--for", text.substr(0, text.size() - 1));
  switch (text.back()) {
    case 's':
      return std::chrono::seconds(value);
    case 'm':
      return std::chrono::minutes(value);
    case 'h':
      return std::chrono::hours(value);
    default:
      refuse("--for wants a time, as in 90s, 10m, 2h, not '" + text + "'");
  }
}

/// One seed per line; the rest of the line is a remark.
std::vector<std::uint64_t> seeds_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse("'" + path + "' cannot be read");
  std::vector<std::uint64_t> seeds;
  for (std::string line; std::getline(file, line);) {
    const std::string word = line.substr(0, line.find_first_of(" \t#"));
    if (!word.empty()) seeds.push_back(number_in(path, word));
  }
  return seeds;
}

Wish wish_of(const std::vector<std::string>& words) {
  Wish wish;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) refuse(option + " wants a value");
      return words[++i];
    };
    if (option == "--seed") {
      wish.seeds.push_back(number_in(option, value()));
      wish.tells = true;
    } else if (option == "--replay") {
      const std::vector<std::uint64_t> kept = seeds_in(value());
      wish.seeds.insert(wish.seeds.end(), kept.begin(), kept.end());
      if (wish.seeds.empty()) std::exit(0);
    } else if (option == "--first") {
      wish.first = number_in(option, value());
    } else if (option == "--steps") {
      wish.steps = number_in(option, value());
    } else if (option == "--for") {
      wish.time = time_in(value());
    } else if (option == "--keep") {
      wish.keep = value();
    } else if (option == "--report") {
      wish.report = value();
    } else if (option == "--sqlite") {
      wish.on_sqlite = true;
    } else if (option == "--broken") {
      wish.is_broken = true;
    } else {
      refuse("'" + option + "' is not known");
    }
  }
  return wish;
}

/// A file that is removed with the store. Without fsync: there is no power cut here.
std::shared_ptr<Store> open_in_a_file(const Clock& clock) {
  auto folder = std::make_shared<TemporaryFolder>();
  Result<std::shared_ptr<Store>> opened = open_sqlite_store(
      {.path = *folder / "store.db", .durability = SqliteOptions::Durability::normal}, clock);
  if (!opened) refuse(opened.error().text());
  Store* store = opened->get();
  return {store, [owned = std::move(*opened), folder](Store*) mutable { owned.reset(); }};
}

/// Fewer steps may miss what is rare.
constexpr std::uint64_t steps_for_everything = 1'000'000;

class Session {
 public:
  explicit Session(Wish wish) : wish_(std::move(wish)) {
    if (wish_.on_sqlite) options_.open = open_in_a_file;
  }

  int run() {
    const auto is_over = [&] {
      if (wish_.time > Duration::zero()) return Steady::now() - begun_ >= wish_.time;
      return steps_ >= wish_.steps;
    };
    if (!wish_.seeds.empty()) {
      for (const std::uint64_t seed : wish_.seeds) {
        if (!try_seed(seed)) return wish_.is_broken ? 0 : 1;
      }
    } else {
      for (std::uint64_t seed = wish_.first; !is_over(); ++seed) {
        if (!try_seed(seed)) return wish_.is_broken ? 0 : 1;
      }
    }
    summary();
    if (wish_.is_broken) std::cout << "nothing was found, and it is broken\n";
    return wish_.is_broken || !has_seen_everything() ? 1 : 0;
  }

 private:
  bool try_seed(std::uint64_t seed) {
    current_seed = seed;
    Choices choices(seed);
    RunOptions options = options_;
    if (wish_.tells) options.tell = [](const std::string& line) { std::cout << line << std::endl; };
    const Run run = simulate(choices, options);
    ++worlds_;
    steps_ += run.steps;
    attempts_ += run.attempts;
    kills_ += run.kills;
    faults_ += run.faults;
    for (const auto& [what, count] : run.happened) happened_[what] += count;
    if (!run.finding) return true;
    std::cout << "seed " << seed << ": after " << run.steps << " steps " << run.finding->invariant
              << " is broken: " << run.finding->message << std::endl;
    if (wish_.is_broken) {
      summary();
      return false;
    }
    if (!wish_.keep.empty()) {
      std::ofstream(wish_.keep, std::ios::app)
          << seed << "  # " << run.finding->invariant << ": " << run.finding->message << "\n";
    }
    show_smallest(choices.tape(), *run.finding, run.steps);
    summary();
    return false;
  }

  /// Whether a run that is long enough has met each kind of thing.
  [[nodiscard]] bool has_seen_everything() const {
    if (steps_ < steps_for_everything) return true;
    const std::vector<std::string> missing = never_happened(happened_);
    for (const std::string& what : missing) std::cout << "never happened: " << what << "\n";
    return missing.empty();
  }

  void show_smallest(const Tape& tape, const Finding& finding, std::uint64_t steps) {
    Shrunk shrunk = shrink(tape, options_, finding, steps);
    std::cout << "the smallest run that shows it, of " << shrunk.tries << " tried ("
              << shrunk.tape.size() << " choices instead of " << tape.size() << "):\n";
    std::vector<std::string> story;
    shrunk.options.tell = [&](const std::string& line) { story.push_back(line); };
    Choices choices(shrunk.tape);
    const Run run = simulate(choices, shrunk.options);
    constexpr std::size_t lines_max = 100;
    const std::size_t left_out = story.size() > lines_max ? story.size() - lines_max : 0;
    if (left_out > 0) std::cout << "  (" << left_out << " lines before these)\n";
    for (std::size_t i = left_out; i < story.size(); ++i) std::cout << "  " << story[i] << "\n";
    if (run.finding) {
      std::cout << "  " << run.finding->invariant << ": " << run.finding->message << std::endl;
    }
  }

  void summary() const {
    const double seconds = std::chrono::duration<double>(Steady::now() - begun_).count();
    std::ostringstream text;
    text << "simulated " << grouped(worlds_) << " worlds: " << grouped(steps_) << " steps, "
         << grouped(attempts_) << " attempts, " << grouped(faults_) << " faults, "
         << grouped(kills_) << " kills; "
         << grouped(static_cast<std::uint64_t>(static_cast<double>(steps_) / seconds))
         << " steps a second\n";
    for (const auto& [what, count] : happened_) {
      text << "  " << what << ": " << grouped(count) << "\n";
    }
    std::cout << text.str();
    if (wish_.report.empty()) return;
    std::filesystem::create_directories(std::filesystem::path(wish_.report).parent_path());
    std::ofstream(wish_.report) << "simulation: " << text.str();
  }

  Wish wish_;
  RunOptions options_;
  Steady::time_point begun_ = Steady::now();
  Occurrences happened_;
  std::uint64_t worlds_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t faults_ = 0;
};

}  // namespace

int simulate_as_told(const std::vector<std::string>& words) {
  const Wish wish = wish_of(words);
  is_broken_on_purpose = wish.is_broken;
  if (!wish.keep.empty()) keep_file = wish.keep.c_str();
  (void)std::signal(SIGABRT, on_abort);
  return Session(wish).run();
}

}  // namespace pawl::simulation
