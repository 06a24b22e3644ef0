#pragma once

/// What is known, before anything runs, about the values that references name.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Empty: known only when it runs.
using KnownType = std::optional<FieldType>;

struct KnownField {
  std::string name;
  KnownType type;
};
/// Empty: which fields there are is known only when it runs, or could not be read.
using KnownFields = std::optional<std::vector<KnownField>>;

/// For one thread: what has been worked out is kept.
class KnownTypes {
 public:
  /// `file` must outlive this.
  explicit KnownTypes(const FileDraft& file) : file_(file) {}

  /// The output of a stage, as its own gates and later stages see it.
  [[nodiscard]] const KnownFields& fields_of(const StageDraft& stage) const;
  /// The type of a reference in `stage`; empty also for one that names nothing.
  [[nodiscard]] KnownType type_of(const StageDraft& stage, const Reference& reference) const;
  /// The type of a value that may be, or hold, a reference.
  [[nodiscard]] KnownType type_of(const StageDraft& stage, const YamlNode& value) const;

 private:
  KnownFields work_out(const StageDraft& stage) const;
  KnownFields fields_handed_on(const StageDraft& stage) const;

  const FileDraft& file_;
  /// What was worked out; while it is, nothing is known, so that a cycle of needs ends.
  mutable std::map<const StageDraft*, KnownFields> fields_;
  mutable std::size_t depth_ = 0;
};

[[nodiscard]] const KnownField* find_field(const KnownFields& fields, std::string_view name);
[[nodiscard]] std::vector<std::string> names_of(const KnownFields& fields);

}  // namespace pawl::workflow
