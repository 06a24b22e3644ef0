/// Runs a fuzzer's function without a fuzzing engine: over every file of the corpus, then over a
/// fixed number of mutations of them.
///
///   replay [--mutations N] [--only N] [--dictionary FILE] FOLDER...
///
/// Mutation N is the same on every machine; when it ends the process, its number is told, and
/// `--only N` runs it alone and writes it to standard output first.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

/// What is under way, for whoever ends the process.
volatile std::sig_atomic_t mutation_now = -1;

/// The same numbers from the same seed everywhere (SplitMix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }

 private:
  std::uint64_t state_;
};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> corpus_of(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(content_of(file));
  return corpus;
}

/// Of libFuzzer's form: one "text" a line, with \xNN, \\ and \" inside.
std::vector<std::string> tokens_of(const std::filesystem::path& dictionary) {
  std::vector<std::string> tokens;
  std::ifstream file(dictionary);
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 2 || line.front() != '"' || line.back() != '"') continue;
    std::string token;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x' && i + 4 < line.size()) {
        token += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        token += line[i];
      }
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::string mutated(std::size_t number, const std::vector<std::string>& corpus,
                    const std::vector<std::string>& tokens) {
  constexpr std::size_t size_max = 16384;
  Dice dice(number);
  std::string text = corpus[dice.below(corpus.size())];
  for (std::size_t left = 1 + dice.below(6); left > 0; --left) {
    const std::size_t at = dice.below(text.size() + 1);
    switch (dice.below(6)) {
      case 0:  // flip a bit
        if (at < text.size()) {
          const auto flipped = static_cast<unsigned char>(text[at]) ^ (1U << dice.below(8));
          text[at] = static_cast<char>(flipped);
        }
        break;
      case 1:  // any byte
        text.insert(at, 1, static_cast<char>(dice.below(256)));
        break;
      case 2:  // delete
        text.erase(at, 1 + dice.below(12));
        break;
      case 3:  // repeat a piece elsewhere
        text.insert(at, text.substr(dice.below(text.size() + 1), dice.below(40)));
        break;
      case 4:  // go on with another file
      {
        const std::string& other = corpus[dice.below(corpus.size())];
        text = text.substr(0, at) + other.substr(dice.below(other.size() + 1));
        break;
      }
      default:  // a word that means something
        if (!tokens.empty()) text.insert(at, tokens[dice.below(tokens.size())]);
        break;
    }
  }
  if (text.size() > size_max) text.resize(size_max);
  return text;
}

void run(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

/// Only what may be called in a signal handler.
extern "C" void tell_and_end(int signal) {
  char digits[24];
  std::size_t at = sizeof digits;
  digits[--at] = '\n';
  long number = mutation_now;
  const bool is_corpus = number < 0;
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  constexpr std::string_view of_corpus = "replay: ended by a file of the corpus\n";
  constexpr std::string_view of_mutation = "replay: ended by mutation; try --only ";
  const std::string_view said = is_corpus ? of_corpus : of_mutation;
  [[maybe_unused]] auto written = ::write(2, said.data(), said.size());
  if (!is_corpus) written = ::write(2, digits + at, sizeof digits - at);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t mutations = 0;
  std::optional<std::size_t> only;
  std::vector<std::string> tokens;
  std::vector<std::filesystem::path> folders;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--mutations" && has_value) {
      mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--only" && has_value) {
      only = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--dictionary" && has_value) {
      tokens = tokens_of(argv[++i]);
    } else {
      folders.emplace_back(word);
    }
  }
  const std::vector<std::string> corpus = corpus_of(folders);
  if (corpus.empty()) {
    std::cerr << "replay: no files in the folders of the corpus\n";
    return 1;
  }
  if (only) {
    const std::string text = mutated(*only, corpus, tokens);
    std::cout << text << std::flush;
    run(text);
    return 0;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGTERM}) {
    std::signal(signal, tell_and_end);
  }
  for (const std::string& text : corpus) run(text);
  for (std::size_t number = 0; number < mutations; ++number) {
    mutation_now = static_cast<std::sig_atomic_t>(number);
    run(mutated(number, corpus, tokens));
  }
  std::cout << "replay: " << corpus.size() << " files and " << mutations << " mutations\n";
  return 0;
}
