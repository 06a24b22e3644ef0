#include "document_pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/runtime/context.hpp"

namespace documents {

using namespace std::chrono_literals;
using pawl::Json;

namespace {

constexpr std::size_t chunk_tokens_max = 512;

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.filename().string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::filesystem::path path_of(const pawl::Context& context) {
  return pawl::field(context.data(), "path").string().value_or("");
}

std::string string_in(const Json& object, std::string_view field) {
  return pawl::JsonView(object)[field].string().value_or("");
}

std::vector<std::string> strings_in(const Json& object, std::string_view field) {
  std::vector<std::string> texts;
  for (const Json& value : pawl::elements(pawl::JsonView(object)[field])) {
    texts.push_back(pawl::JsonView(value).string().value_or(""));
  }
  return texts;
}

Json array_of(const std::vector<std::string>& texts) {
  return Json::array(std::vector<Json>(texts.begin(), texts.end()));
}

/// The Markdown as this item's other stages read it: the value itself where the same process made
/// it, else its JSON; and a reviewer's edits before either.
std::string markdown_of(pawl::Context& context) {
  const auto upstream = context.upstream("pdf_to_markdown");
  if (!upstream) throw std::runtime_error(upstream.error().text());
  if (const auto* made = upstream->typed.as<MarkdownOutput>()) return made->text;
  return string_in(upstream->json, "markdown");
}

// The stages.

pawl::Outcome pdf_to_markdown(pawl::Context& context, std::stop_token) {
  const std::string source = contents_of(path_of(context));
  if (is_encrypted(source)) return pawl::final_error("the document is encrypted", "encrypted");

  // Told what was wrong, it works more slowly and better.
  const Strategy strategy = context.feedback() ? Strategy::careful : Strategy::fast;
  const std::string name = strategy == Strategy::fast ? "fast" : "careful";
  std::string text = to_markdown(source, strategy);
  const std::size_t words = word_count(text);
  const std::size_t tables = table_count(text);
  return pawl::Output{.json = Json::object({{"title", title_of(text)},
                                            {"strategy", name},
                                            {"words", words},
                                            {"tables", tables},
                                            {"markdown", text}}),
                      .summary = name + ": " + std::to_string(words) + " words, " +
                                 std::to_string(tables) + " tables",
                      .typed = pawl::Artifact::of(MarkdownOutput{.text = std::move(text)})};
}

pawl::Outcome extract_concepts(pawl::Context& context, std::stop_token) {
  const ConceptGraph graph = concepts_in(markdown_of(context));
  std::vector<Json> edges;
  for (const auto& [one, other] : graph.edges) edges.push_back(Json::array({one, other}));
  return pawl::Output{.json = Json::object({{"nodes", array_of(graph.nodes)},
                                            {"edges", Json::array(edges)},
                                            {"orphans", array_of(graph.orphans)}}),
                      .summary = std::to_string(graph.nodes.size()) + " concepts, " +
                                 std::to_string(graph.edges.size()) + " links",
                      .typed = pawl::Artifact::of(graph)};
}

pawl::Outcome generate_embeddings(pawl::Context& context, std::stop_token) {
  std::vector<Json> vectors;
  std::size_t largest = 0;
  for (const std::string& chunk : chunks_of(markdown_of(context), chunk_tokens_max)) {
    const Embedding vector = embed(chunk);
    vectors.push_back(Json::array(std::vector<Json>(vector.begin(), vector.end())));
    largest = std::max(largest, word_count(chunk));
  }
  return pawl::Output{
      .json = Json::object({{"largest_chunk", largest}, {"vectors", Json::array(vectors)}}),
      .summary = std::to_string(vectors.size()) + " vectors"};
}

pawl::Outcome build_fts_index(pawl::Context& context, std::stop_token) {
  std::vector<std::pair<std::string, Json>> terms;
  for (const auto& [term, count] : terms_of(markdown_of(context))) terms.emplace_back(term, count);
  return pawl::Output{.json = Json::object({{"terms", Json::object(terms)}}),
                      .summary = std::to_string(terms.size()) + " terms"};
}

/// Which other documents of the folder speak of this one's concepts.
pawl::Outcome cross_reference(pawl::Context& context, std::stop_token) {
  const auto concepts = context.upstream("extract_concepts");
  if (!concepts) return pawl::final_error(concepts.error().text());
  const std::filesystem::path self = path_of(context);
  std::map<std::string, std::vector<std::string>> mentions;
  for (const pawl::NewItem& other : documents_in(self.parent_path())) {
    if (other.key == self.filename()) continue;
    const std::string text = contents_of(self.parent_path() / other.key);
    for (const std::string& concept_name : strings_in(concepts->json, "nodes")) {
      if (text.contains(concept_name)) mentions[concept_name].push_back(other.key);
    }
  }
  std::vector<std::pair<std::string, Json>> shared;
  for (const auto& [concept_name, files] : mentions) {
    shared.emplace_back(concept_name, array_of(files));
  }
  return pawl::Output{.json = Json::object({{"shared", Json::object(shared)}}),
                      .summary = std::to_string(shared.size()) + " shared concepts"};
}

/// Once per job: what came of all documents.
pawl::Outcome corpus_report(pawl::Context& context, std::stop_token) {
  std::vector<std::string> published;
  std::vector<std::string> left_out;
  std::map<std::string, std::size_t> documents_by_concept;
  const pawl::Status read = context.for_each_item([&](const pawl::SettledItem& settled) {
    if (settled.item.state != pawl::ItemState::succeeded) {
      left_out.push_back(settled.item.key);
      return true;
    }
    std::string title;
    for (const pawl::StageOutput& output : settled.outputs) {
      for (const std::string& node : strings_in(output.output, "nodes"))
        ++documents_by_concept[node];
      // The reviewer's word on the title comes last, and stands.
      if (const std::string found = string_in(output.output, "title"); !found.empty())
        title = found;
    }
    published.push_back(title);
    return true;
  });
  if (!read) return pawl::retryable(read.error().text());
  const auto most_shared = std::ranges::max_element(documents_by_concept, {},
                                                    [](const auto& entry) { return entry.second; });
  return pawl::Output{
      .json = Json::object(
          {{"published", array_of(published)},
           {"left_out", array_of(left_out)},
           {"concepts", documents_by_concept.size()},
           {"most_shared",
            most_shared == documents_by_concept.end() ? Json() : Json(most_shared->first)}}),
      .summary = std::to_string(published.size()) + " documents published"};
}

/// A stage that takes a while, and ends early when asked to.
pawl::StageFunction paced(std::chrono::milliseconds pace, pawl::StageFunction work) {
  if (pace == 0ms) return work;
  return [pace, work = std::move(work)](pawl::Context& context,
                                        std::stop_token stop) -> pawl::Outcome {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, pace, [] { return false; });
    if (stop.stop_requested()) return pawl::retryable("asked to stop");
    return work(context, stop);
  };
}

pawl::Judgement judgement_of(std::vector<pawl::Criterion> failed, const std::string& hint) {
  if (failed.empty()) return pawl::accepted();
  return pawl::rejected({.summary = std::to_string(failed.size()) + " criteria not met",
                         .criteria = std::move(failed),
                         .guidance = Json::object({{"hint", hint}})});
}

}  // namespace

// The gates. What throws here is a gate error: nothing was judged, nothing accepted.

pawl::Judgement MarkdownQualityCheck::operator()(const pawl::GateContext& context,
                                                 std::stop_token) const {
  const auto* markdown = context.output.typed.as<MarkdownOutput>();
  if (markdown == nullptr) throw std::runtime_error("expected a MarkdownOutput artifact");

  std::vector<pawl::Criterion> failed;
  const std::size_t words = word_count(markdown->text);
  if (words < min_word_count) {
    failed.push_back({.name = "word_count",
                      .expected = "at least " + std::to_string(min_word_count),
                      .actual = std::to_string(words)});
  }
  if (require_tables && !markdown->text.contains('|')) {
    failed.push_back({.name = "table_preservation",
                      .expected = "tables in the markdown",
                      .actual = "no tables found"});
  }
  return judgement_of(std::move(failed), "rebuild tables from tabs and aligned columns");
}

pawl::Judgement ConceptGraphValidator::operator()(const pawl::GateContext& context,
                                                  std::stop_token) const {
  const auto* graph = context.output.typed.as<ConceptGraph>();
  if (graph == nullptr) throw std::runtime_error("expected a ConceptGraph artifact");

  std::vector<pawl::Criterion> failed;
  if (graph->nodes.size() < min_nodes) {
    failed.push_back({.name = "min_nodes",
                      .expected = "at least " + std::to_string(min_nodes),
                      .actual = std::to_string(graph->nodes.size())});
  }
  if (require_connected && !graph->orphans.empty()) {
    failed.push_back({.name = "no_orphans",
                      .expected = "every concept linked",
                      .actual = std::to_string(graph->orphans.size()) + " orphans"});
  }
  return judgement_of(std::move(failed), "look for names across paragraphs");
}

std::expected<pawl::Program, std::vector<pawl::Error>> document_pipeline(
    std::chrono::milliseconds pace) {
  pawl::WorkflowBuilder build("documents");

  build.stage("pdf_to_markdown", paced(pace, pdf_to_markdown))
      .gate("markdown_quality", MarkdownQualityCheck{.require_tables = true, .min_word_count = 100})
      .retry(
          {.max_attempts = 3, .on_exhausted = pawl::OnExhausted::escalate, .attempt_timeout = 120s})
      .review(pawl::ReviewPolicy::on_escalation);
  build.stage("extract_concepts", paced(pace, extract_concepts))
      .needs("pdf_to_markdown")
      .gate("concept_graph", ConceptGraphValidator{.min_nodes = 5, .require_connected = true})
      .retry(
          {.max_attempts = 2, .on_exhausted = pawl::OnExhausted::escalate, .attempt_timeout = 60s})
      .review(pawl::ReviewPolicy::on_escalation);
  build.stage("generate_embeddings", paced(pace, generate_embeddings)).needs("pdf_to_markdown");
  build.stage("build_fts_index", paced(pace, build_fts_index)).needs("pdf_to_markdown");
  build.stage("cross_reference", paced(pace, cross_reference)).needs("extract_concepts");
  build.human_stage("final_review")
      .needs("cross_reference")
      .needs("generate_embeddings")
      .needs("build_fts_index")
      .review(pawl::ReviewPolicy::always);
  build.all_items_stage("corpus_report", paced(pace, corpus_report)).needs("final_review");
  return build.build();
}

std::vector<pawl::NewItem> documents_in(const std::filesystem::path& folder) {
  std::vector<pawl::NewItem> items;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    items.push_back({.key = entry.path().filename().string(),
                     .data = Json::object({{"path", entry.path().string()}}),
                     .data_sha256 = pawl::sha256_hex(contents_of(entry.path()))});
  }
  std::ranges::sort(items, {}, &pawl::NewItem::key);
  return items;
}

std::filesystem::path shipped_documents() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "documents";
}

}  // namespace documents
