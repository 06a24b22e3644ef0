#pragma once

/// A service with a directory of workflow files, and jobs of them.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/runtime/program.hpp"
#include "service/api_test.hpp"
#include "service/fits_schema.hpp"

namespace pawl::service {

class JobApiTest : public ApiTest {
 protected:
  JobApiTest() {
    // In a store with people the others are nobody.
    const Status added = store().people().change(
        AddPerson{.name = "olga", .role = Role::admin, .groups = {}}, Actor{.name = "root"});
    EXPECT_TRUE(added.has_value());
    std::filesystem::create_directories(flows());
    backend_.daemon.run_directory = folder_ / "run";
  }

  [[nodiscard]] std::filesystem::path flows() const { return folder_ / "flows"; }

  /// Writes a file into the directory of the workflows.
  void write(const std::string& name, std::string_view text) {
    const std::filesystem::path path = flows() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  /// Writes a workflow file, and makes the service read its files.
  void flow(const std::string& name, std::string_view text) {
    write(name, text);
    library_.reload({flows()});
  }
  /// A workflow that greets the people of its list.
  void add_greeting() {
    flow("greet.yaml",
         "version: 1\n"
         "workflow: greet\n"
         "description: says hello\n"
         "params:\n"
         "  tone: { type: string, default: warm, description: how it sounds }\n"
         "  times: { type: integer, default: 1 }\n"
         "items: [ada, grace]\n"
         "job:\n"
         "  budget: { cost_usd: 5, attempts: 100 }\n"
         "stages:\n"
         "  greet: { run: [echo, hello], in: { name: \"${item}\" } }\n");
  }
  /// Submits a job of that workflow, and returns its number.
  std::string submit(std::vector<std::pair<std::string, Json>> body = {}) {
    body.emplace_back("workflow", "greet");
    const Answer answer = post("/api/v1/jobs", Json::object(body));
    EXPECT_EQ(answer.status, 201U) << answer.body;
    return answer.at("job");
  }

  /// A job of a program with these items, as far as it comes by itself.
  JobId start(const WorkflowBuilder& build, std::vector<NewItem> items,
              const JobOptions& options = {}) {
    const JobId job = world_.submit(testing::built(build), std::move(items), options);
    world_.run();
    return job;
  }
  static std::string at_job(JobId job, std::string_view rest = {}) {
    return "/api/v1/jobs/" + std::to_string(job.value()) + std::string(rest);
  }
  std::string at_item(JobId job, const std::string& key, std::string_view rest = {}) {
    const Result<Item> item = store().records().item(job, key);
    EXPECT_TRUE(item.has_value()) << key;
    return "/api/v1/items/" + std::to_string(item ? item->id.value() : 0) + std::string(rest);
  }

  /// A string of the document.
  static std::string text(const Answer& answer, std::string_view path) {
    const Json document = answer.json();
    return field(document, path).string().value_or("no string: " + answer.body);
  }
  static std::string message(const Answer& answer) { return text(answer, "error.message"); }
  /// What the rows of a list have in this member, as JSON texts.
  static std::vector<std::string> column(const Answer& answer, std::string_view rows,
                                         std::string_view name) {
    std::vector<std::string> values;
    const Json document = answer.json();
    for (const Json& row : elements(field(document, rows))) {
      values.emplace_back(field(row, name).text());
    }
    return values;
  }
  /// A column of all pages of a list. `target` has a query.
  std::vector<std::string> all_pages(const std::string& target, std::string_view rows,
                                     std::string_view name) {
    std::vector<std::string> all;
    for (std::string after; all.size() < 100'000;) {
      const Answer page = get(target + after);
      EXPECT_EQ(page.status, 200U) << page.body;
      for (std::string& value : column(page, rows, name)) all.push_back(std::move(value));
      if (page.status != 200 || page.at("next") == "null") break;
      after = "&after=" + text(page, "next");
    }
    return all;
  }
  /// Everybody who may not do this, by name and role.
  void expect_only(Role least, const std::string& method, const std::string& target,
                   const Json& body = Json::object({})) {
    for (const Role role : {Role::viewer, Role::reviewer, Role::operate, Role::admin}) {
      if (role >= least) continue;
      sign_in_as("vera", role);
      EXPECT_EQ(call(method, target, body).status, 403U) << method << " " << target;
    }
    sign_in_as("olga", Role::admin);
  }
};

}  // namespace pawl::service
