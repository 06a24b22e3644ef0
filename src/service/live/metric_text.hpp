#pragma once

/// Writes metrics in the text format of Prometheus, version 0.0.4.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::service {

enum class MetricKind : std::uint8_t { counter, gauge, histogram, summary };

/// How many values were at most each bound, and their sum.
class Histogram {
 public:
  /// The bounds must grow and outlive it.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void add(double value);
  void add(const Histogram& other);

 private:
  friend class MetricText;
  std::span<const double> bounds_;
  std::vector<std::int64_t> counts_;  ///< of each bucket alone; the last one has no bound
  double sum_ = 0;
};

/// Names and values of labels. Any text may be a value: it is escaped, and cut at 256 bytes.
using MetricLabels = std::vector<std::pair<std::string_view, std::string_view>>;

class MetricText {
 public:
  /// Begins a family. Its samples follow. A family is begun once.
  void begin(std::string_view name, MetricKind kind, std::string_view help);
  void add(const MetricLabels& labels, double value);
  void add(double value) { add({}, value); }
  void add(const MetricLabels& labels, const Histogram& histogram);
  /// The samples of a summary without quantiles.
  void add_sum(const MetricLabels& labels, double sum, std::int64_t count);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void write(std::string_view suffix, const MetricLabels& labels, double value);

  std::string text_;
  std::string name_;  ///< of the family
};

}  // namespace pawl::service
