#pragma once

/// Whether a document is what the API says about it.

#include <string>

#include <gtest/gtest.h>

#include "pawl/core/json.hpp"
#include "service/api/schemas.hpp"
#include "workflow/json_schema.hpp"

namespace pawl::service {

/// Succeeds if the document fits the schema of this name.
inline ::testing::AssertionResult fits_schema(const Json& document, const std::string& name) {
  const Json schema = Json::object({{"$ref", "#/components/schemas/" + name},
                                    {"components", Json::object({{"schemas", schemas()}})}});
  const auto compiled = workflow::JsonSchema::compile(schema);
  if (!compiled) return ::testing::AssertionFailure() << compiled.error().text();
  const auto findings = compiled->check(document);
  if (findings.empty()) return ::testing::AssertionSuccess();
  auto failure = ::testing::AssertionFailure();
  for (const auto& finding : findings) {
    failure << finding.path << ": " << finding.message << "\n";
  }
  return failure << document.text();
}

}  // namespace pawl::service
