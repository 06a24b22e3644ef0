#include "service/live/metric_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pawl/core/text.hpp"
#include "text/utf8.hpp"

namespace pawl::service {
namespace {

constexpr std::size_t label_max = 256;

std::string_view name_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter:
      return "counter";
    case MetricKind::gauge:
      return "gauge";
    case MetricKind::histogram:
      return "histogram";
    case MetricKind::summary:
      return "summary";
  }
  return {};
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string escaped(std::string_view value) {
  const std::string valid = valid_text(std::string(text::beginning_of(value, label_max)));
  std::string out;
  for (const char c : valid) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void Histogram::add(double value) {
  const auto bound = std::ranges::lower_bound(bounds_, value);
  ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
  sum_ += value;
}

void Histogram::add(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  sum_ += other.sum_;
}

void MetricText::begin(std::string_view name, MetricKind kind, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " " + std::string(help) + "\n# TYPE " + name_ + " ";
  text_ += name_of(kind);
  text_ += '\n';
}

void MetricText::add(const MetricLabels& labels, double value) { write({}, labels, value); }

void MetricText::add(const MetricLabels& labels, const Histogram& histogram) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < histogram.counts_.size(); ++i) {
    count += histogram.counts_[i];
    const bool has_bound = i < histogram.bounds_.size();
    const std::string bound = has_bound ? number(histogram.bounds_[i]) : "+Inf";
    MetricLabels with_bound = labels;
    with_bound.emplace_back("le", bound);
    write("_bucket", with_bound, static_cast<double>(count));
  }
  add_sum(labels, histogram.sum_, count);
}

void MetricText::add_sum(const MetricLabels& labels, double sum, std::int64_t count) {
  write("_sum", labels, sum);
  write("_count", labels, static_cast<double>(count));
}

void MetricText::write(std::string_view suffix, const MetricLabels& labels, double value) {
  text_ += name_;
  text_ += suffix;
  if (!labels.empty()) {
    text_ += '{';
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (i > 0) text_ += ',';
      text_ += labels[i].first;
      text_ += "=\"" + escaped(labels[i].second) + '"';
    }
    text_ += '}';
  }
  text_ += ' ' + number(value) + '\n';
}

}  // namespace pawl::service
