#include "cli/input/id_list.hpp"

#include <algorithm>
#include <charconv>
#include <istream>

#include "cli/output/file_outputs.hpp"
#include "cli/output/listing.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {

std::vector<std::string> read_ids(Session& session, const std::vector<std::string>& ids) {
  std::vector<std::string> all;
  for (const std::string& id : ids) {
    if (id != "-") {
      all.push_back(id);
      continue;
    }
    for (std::string line; std::getline(*session.streams().in, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) all.push_back(line);
    }
  }
  return all;
}

Result<std::vector<std::string>> read_numbers(Session& session, const std::vector<std::string>& ids,
                                              const std::string& what) {
  std::vector<std::string> numbers = read_ids(session, ids);
  std::string wrong;
  for (const std::string& id : numbers) {
    if (number_of(id) <= 0) wrong += (wrong.empty() ? "'" : ", '") + printable(id) + "'";
  }
  if (!wrong.empty()) {
    return pawl::fail(ErrorCode::invalid, "not a " + what + " number: " + wrong,
                      "list the numbers: pawl " + what + " list");
  }
  if (numbers.empty()) return pawl::fail(ErrorCode::invalid, "no " + what + "s given");
  return numbers;
}

std::int64_t number_of(const std::string& id) {
  std::int64_t number = 0;
  const auto read = std::from_chars(id.data(), id.data() + id.size(), number);
  return read.ec == std::errc{} && read.ptr == id.data() + id.size() ? number : 0;
}

namespace {

/// What the document of a failed id begins with: the number as successful ones have it.
Json document_of_failed(const std::string& id, const std::string& array) {
  if (array == "reviews") return Json::object({{"review", number_of(id)}});
  if (array == "jobs") return Json::object({{"job", number_of(id)}});
  return Json::object({{"id", id}});
}

}  // namespace

int do_each(Session& session, const std::vector<std::string>& ids,
            const std::function<Result<Done>(const std::string& id)>& act,
            const std::string& array) {
  int code = exit_done;
  Listing list(session, {.array = array});
  for (const std::string& id : ids) {
    const Result<Done> done = act(id);
    if (!done) {
      const int its = exit_code_of(done.error().code);
      code = code == exit_done ? its : std::min(code, its);
    }
    const auto document = [&] {
      const Json error = done ? Json() : *field(failure_document(done.error()), "error").json();
      const Json made = done ? done->document : document_of_failed(id, array);
      return with_member(with_member(made, "ok", done.has_value()), "error", error);
    };
    if (done || session.prints_json()) {
      list.add({.document = document,
                .id = [&] { return done->id.empty() ? id : done->id; },
                .text = [&] { return done->words + "\n"; }});
    }
    if (!done) session.fail(done.error());
  }
  list.finish();
  return code;
}

}  // namespace pawl::cli
