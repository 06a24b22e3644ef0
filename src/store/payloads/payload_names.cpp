#include "store/payloads/payload_names.hpp"

#include "pawl/codec/digest.hpp"
#include "pawl/store/results.hpp"

namespace pawl::store {
namespace {

constexpr std::string_view file_start = R"("$file":"sha256:)";
constexpr std::string_view output_start = R"({"$ref":"sha256:)";
constexpr std::string_view digest_prefix = "sha256:";

}  // namespace

std::vector<PayloadName> files_named_in(std::string_view json) {
  std::vector<PayloadName> found;
  for (std::size_t at = json.find(file_start); at != std::string_view::npos;
       at = json.find(file_start, at + 1)) {
    const std::string_view digest = json.substr(at + file_start.size(), sha256_hex_digits);
    if (is_sha256_hex(digest)) found.push_back({.sha256 = std::string(digest)});
  }
  return found;
}

std::vector<PayloadName> payloads_named_in(const Json& value) {
  if (!is_payload_reference(value)) return files_named_in(value.text());
  const std::string digest = value.text().substr(output_start.size(), sha256_hex_digits);
  return {{.sha256 = digest, .is_output = true}};
}

std::vector<PayloadName> payloads_named_in(const Attempt& attempt) {
  std::vector<PayloadName> found = payloads_named_in(attempt.output);
  for (const ArtifactRecord& artifact : attempt.artifacts) {
    if (artifact.reference.starts_with(digest_prefix)) {
      found.push_back({.sha256 = artifact.reference.substr(digest_prefix.size())});
    } else if (is_sha256_hex(artifact.sha256)) {
      found.push_back({.sha256 = artifact.sha256, .is_certain = false});
    }
  }
  return found;
}

}  // namespace pawl::store
