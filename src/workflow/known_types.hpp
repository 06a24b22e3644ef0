#pragma once

/// The types that are known before anything runs, for the values that references name.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Empty: known only at run time.
using KnownType = std::optional<FieldType>;

struct KnownField {
  std::string name;
  KnownType type;
};
/// Empty: the fields are known only at run time, or could not be read.
using KnownFields = std::optional<std::vector<KnownField>>;

/// Not thread-safe: results are cached.
class KnownTypes {
 public:
  /// `file` must outlive this object.
  explicit KnownTypes(const FileDraft& file) : file_(file) {}

  /// The output fields of a stage, as its own gates and later stages see them.
  [[nodiscard]] const KnownFields& fields_of(const StageDraft& stage) const;
  /// The type of a reference in `stage`; also empty if the reference names nothing.
  [[nodiscard]] KnownType type_of(const StageDraft& stage, const Reference& reference) const;
  /// The type of a value that may be or contain a reference.
  [[nodiscard]] KnownType type_of(const StageDraft& stage, const YamlNode& value) const;

 private:
  KnownFields work_out(const StageDraft& stage) const;
  KnownFields fields_handed_on(const StageDraft& stage) const;

  const FileDraft& file_;
  /// Cached results. An entry is empty while it is being computed, so that a cycle of needs ends.
  mutable std::map<const StageDraft*, KnownFields> fields_;
  mutable std::size_t depth_ = 0;
};

[[nodiscard]] const KnownField* find_field(const KnownFields& fields, std::string_view name);
[[nodiscard]] std::vector<std::string> names_of(const KnownFields& fields);

}  // namespace pawl::workflow
