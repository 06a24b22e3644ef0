/// The workflows that can be submitted here.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "pawl/store/people.hpp"
#include "service/api/call.hpp"
#include "service/api/cursor.hpp"
#include "service/work/workflow_library.hpp"
#include "views/graph.hpp"
#include "views/outputs.hpp"
#include "views/people_warnings.hpp"
#include "views/workflow_files.hpp"

namespace pawl::service {
namespace {

using File = std::shared_ptr<const LibraryFile>;

/// Why the file cannot be submitted; empty: it can.
std::string why_not(const WorkflowLibrary& library, const LibraryFile& file) {
  if (!file.file) return "the file has faults";
  const Result<File> found = library.find(file.name);
  return found ? std::string() : found.error().message;
}

Json row_of(const WorkflowLibrary& library, const LibraryFile& file) {
  const std::string why = why_not(library, file);
  const std::string description = file.file ? file.file->description : std::string();
  return Json::object({{"workflow", file.name},
                       {"file", file.path.string()},
                       {"hash", file.file ? Json(file.file->workflow.hash()) : Json()},
                       {"description", description.empty() ? Json() : Json(description)},
                       {"can_be_submitted", why.empty()},
                       {"why_not", why.empty() ? Json() : Json(why)},
                       {"diagnostics", views::diagnostics_document(file.diagnostics)}});
}

/// The whole document: with faults it has no params, stages and limits.
Json document_of(const WorkflowLibrary& library, const LibraryFile& file) {
  Json document = row_of(library, file);
  if (!file.file) return document;
  for (auto& [key, value] : members(views::workflow_file_document(*file.file))) {
    document = views::with_member(document, key, std::move(value));
  }
  return document;
}

Result<Reply> list_workflows(Call& call) {
  const WorkflowLibrary& library = call.backend.workflows;
  auto rows = std::make_shared<std::vector<Json>>();
  for (const File& file : library.all()) rows->push_back(row_of(library, *file));
  List list;
  list.total = [rows]() -> Result<Tally> {
    return Tally{.count = static_cast<std::int64_t>(rows->size())};
  };
  list.page = [rows](const std::string& after, std::uint32_t limit) -> Result<Page> {
    const Result<std::int64_t> seen = number_of_cursor(after);
    if (!seen) return std::unexpected(seen.error());
    const std::size_t begin = std::min(static_cast<std::size_t>(*seen), rows->size());
    const std::size_t end = std::min(begin + limit, rows->size());
    Page page;
    std::copy(std::next(rows->begin(), static_cast<std::ptrdiff_t>(begin)),
              std::next(rows->begin(), static_cast<std::ptrdiff_t>(end)),
              std::back_inserter(page.rows));
    if (end < rows->size()) page.next = std::to_string(end);
    return page;
  };
  return list;
}

Result<Reply> show_workflow(Call& call) {
  const WorkflowLibrary& library = call.backend.workflows;
  const Result<File> file = library.find(call.part("workflow"));
  if (!file) return std::unexpected(file.error());
  return Document{document_of(library, **file)};
}

Result<Reply> show_graph(Call& call) {
  const Result<File> file = call.backend.workflows.find(call.part("workflow"));
  if (!file) return std::unexpected(file.error());
  if (!(*file)->file) {
    return fail(ErrorCode::refused, "the workflow '" + (*file)->name + "' has faults",
                "mend them: pawl check " + (*file)->path.string());
  }
  return Document{views::graph_document((*file)->file->workflow, nullptr)};
}

Result<Reply> check_workflow(Call& call) {
  const WorkflowLibrary& library = call.backend.workflows;
  const Result<File> known = library.find(call.part("workflow"));
  if (!known) return std::unexpected(known.error());
  LibraryFile now = library.read_again(**known);
  if (now.file && !now.file->assignees.empty()) {
    const Result<std::vector<Person>> people = call.store().people().all();
    if (!people) return std::unexpected(people.error());
    WorkflowFile file = *now.file;
    warn_of_unknown_people(file, views::known_people(*people), now.path.filename().string());
    now.diagnostics = file.warnings;
  }
  const bool is_same =
      now.file && (*known)->file && now.file->workflow.hash() == (*known)->file->workflow.hash();
  return Document{Json::object({{"ok", now.file != nullptr},
                                {"workflow", now.name},
                                {"file", now.path.string()},
                                {"hash", now.file ? Json(now.file->workflow.hash()) : Json()},
                                {"is_loaded", is_same},
                                {"diagnostics", views::diagnostics_document(now.diagnostics)}})};
}

}  // namespace

std::vector<Route> workflow_routes() {
  const Access see = Access::needs(Right::see);
  return {
      {.method = "GET",
       .path = "/api/v1/workflows",
       .access = see,
       .handle = &list_workflows,
       .operation = "listWorkflows",
       .tag = "workflows",
       .summary = "The workflow files that can be submitted here, and those with faults.",
       .kind = ReplyKind::list,
       .schema = "WorkflowRow",
       .rows = "workflows",
       .columns = {"workflow", "file", "hash", "can_be_submitted", "why_not", "description"}},
      {.method = "GET",
       .path = "/api/v1/workflows/{workflow}",
       .access = see,
       .handle = &show_workflow,
       .operation = "showWorkflow",
       .tag = "workflows",
       .summary = "A workflow with its params, stages and limits, as it would be submitted now.",
       .schema = "WorkflowFile"},
      {.method = "GET",
       .path = "/api/v1/workflows/{workflow}/graph",
       .access = see,
       .handle = &show_graph,
       .operation = "showWorkflowGraph",
       .tag = "workflows",
       .summary = "The stages of a workflow and what each of them needs.",
       .schema = "Graph"},
      {.method = "POST",
       .path = "/api/v1/workflows/{workflow}/check",
       .access = see,
       .handle = &check_workflow,
       .operation = "checkWorkflow",
       .tag = "workflows",
       .summary = "Reads the file again and reports every fault. Nothing is submitted or loaded.",
       .schema = "WorkflowCheck"},
  };
}

}  // namespace pawl::service
