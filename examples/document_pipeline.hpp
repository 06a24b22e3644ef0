#pragma once

/// The document pipeline that 02_quality_pipeline and the demo run:
///
///                     +-> extract_concepts -> cross_reference -+
///   pdf_to_markdown --+-> generate_embeddings -----------------+-> final_review => corpus_report
///                     +-> build_fts_index ---------------------+
///
/// The sources are text files, so `pdf_to_markdown` reads text; all else is as it would be with
/// PDFs. Stages do the work, gates judge it, policies say what follows: three separate things,
/// put together in `document_pipeline`.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "document_text.hpp"
#include "pawl/runtime/program.hpp"
#include "pawl/store/store.hpp"

namespace documents {

/// What `pdf_to_markdown` hands on inside the process. After a restart the same is read from the
/// stage's JSON.
struct MarkdownOutput {
  std::string text;
};

/// Accepts Markdown that is long enough and has kept its tables.
struct MarkdownQualityCheck {
  bool require_tables = true;
  std::size_t min_word_count = 100;
  pawl::Judgement operator()(const pawl::GateContext& context, std::stop_token stop) const;
};

/// Accepts concept graphs that are large enough and hang together.
struct ConceptGraphValidator {
  std::size_t min_nodes = 5;
  bool require_connected = true;
  pawl::Judgement operator()(const pawl::GateContext& context, std::stop_token stop) const;
};

/// The workflow with its code. `pace` is how long each stage takes on top of its work.
[[nodiscard]] std::expected<pawl::Program, std::vector<pawl::Error>> document_pipeline(
    std::chrono::milliseconds pace);

/// One item for every file of the folder, by name.
[[nodiscard]] std::vector<pawl::NewItem> documents_in(const std::filesystem::path& folder);

/// The documents that the build put beside this program.
[[nodiscard]] std::filesystem::path shipped_documents();

}  // namespace documents
