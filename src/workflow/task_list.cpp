#include "workflow/task_list.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"
#include "text/numbers.hpp"
#include "workflow/json_tree.hpp"
#include "workflow/templates.hpp"
#include "workflow/value_reader.hpp"

namespace pawl::workflow {
namespace {

constexpr std::string_view code = "E058";
constexpr std::size_t name_length_max = 56;  ///< leaves room for a number at the end
constexpr std::array spec_keys{"type",        "title", "intent",    "goal",
                               "constraints", "hints", "depends_on"};

struct TaskEntry {
  std::string type;
  std::string title;
  std::string stage;
  std::vector<std::string> depends_on;
  JsonTree spec;
};

/// "${" in data is not a reference.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${")) out += '$';
    out += text[i];
  }
  return out;
}

YamlNode text_node(std::string text, const Place& place) {
  YamlNode node;
  node.kind = YamlNode::Kind::string;
  node.place = place;
  node.text = std::move(text);
  return node;
}

std::string counted(std::size_t number) {
  return text::with_separators(static_cast<std::int64_t>(number));
}

/// Whether the JSON text has more values than a workflow file may have. Found before it is read, by
/// what begins or separates values.
bool has_too_many_values(std::string_view text) {
  std::size_t values = 1;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_in_string = !is_in_string;
    if (is_in_string && c == '\\') ++i;
    if (!is_in_string && (c == ',' || c == '[' || c == '{')) ++values;
  }
  return values > file_nodes_max;
}

std::size_t values_in(const YamlNode& node) {
  std::size_t values = 1;
  for (const YamlNode& one : node.list) values += values_in(one);
  for (const YamlMember& one : node.map) values += values_in(one.value);
  return values;
}

YamlNode node_of(const JsonTree& value, const Place& place) {
  YamlNode node;
  node.place = place;
  switch (value.kind) {
    case JsonTree::Kind::null:
      break;
    case JsonTree::Kind::boolean:
      node.kind = YamlNode::Kind::boolean;
      node.boolean = value.boolean;
      node.text = value.boolean ? "true" : "false";
      break;
    case JsonTree::Kind::number:
      node.kind =
          field(value.json, "").integer() ? YamlNode::Kind::integer : YamlNode::Kind::number;
      node.text = value.json.text();
      break;
    case JsonTree::Kind::string:
      return text_node(escaped(value.text), place);
    case JsonTree::Kind::array:
      node.kind = YamlNode::Kind::list;
      for (const JsonTree& one : value.elements) node.list.push_back(node_of(one, place));
      break;
    case JsonTree::Kind::object:
      node.kind = YamlNode::Kind::map;
      for (const JsonTreeMember& one : value.members) {
        node.map.push_back({one.key, place, node_of(one.value, place)});
      }
      break;
  }
  return node;
}

/// A title as the name of a stage: what is not a letter, a digit, _ or - becomes -.
std::string as_name(std::string_view title) {
  std::string name;
  for (const char c : title.substr(0, name_length_max)) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (fits) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  const bool starts_well = !name.empty() && (name.front() < '0' || name.front() > '9');
  return name.empty() || starts_well ? name : "task-" + name;
}

class TaskList {
 public:
  TaskList(Faults& faults, const YamlNode& handlers, const YamlNode& source)
      : faults_(faults), handlers_(handlers), source_(source) {}

  /// The tasks, if every one of them can be used.
  std::optional<std::vector<TaskEntry>> read(const std::filesystem::path& project) {
    const std::optional<std::vector<Json>> specs = specs_in(project / source_.text);
    if (!specs) return std::nullopt;
    if (specs->empty()) fault("the list " + in_quotes(source_.text) + " has no tasks");
    if (specs->size() > stages_max) {
      fault("the list " + in_quotes(source_.text) + " has " + counted(specs->size()) +
                " tasks; at most " + counted(stages_max) + " are allowed",
            "split the list into several jobs");
      return std::nullopt;
    }
    for (const Json& spec : *specs) add(spec);
    if (count_ == 0) name_stages();
    if (count_ == 0) resolve_dependencies();
    if (count_ == 0) limit_values();
    if (count_ > faults_max) {
      faults_.add(
          code, source_.place,
          std::to_string(count_ - faults_max) + " more faults in " + in_quotes(source_.text));
    }
    if (count_ > 0) return std::nullopt;
    return std::move(tasks_);
  }

 private:
  static constexpr std::size_t faults_max = 20;
  static constexpr std::size_t needs_max = 64;  ///< more are a fault of the workflow

  void fault(std::string message, std::string help = {}) {
    if (++count_ <= faults_max) {
      faults_.add(code, source_.place, std::move(message), std::move(help));
    }
  }

  /// A JSON list, an object with the list as "tasks", or one spec on each line.
  std::optional<std::vector<Json>> specs_in(const std::filesystem::path& path) {
    std::error_code failed;
    const bool is_file = std::filesystem::is_regular_file(path, failed);
    const auto size = is_file ? std::filesystem::file_size(path, failed) : 0;
    std::ifstream file;
    if (is_file && !failed && size <= file_bytes_max) file.open(path, std::ios::binary);
    if (!file.is_open()) {
      fault(
          "cannot read the list of tasks " + in_quotes(source_.text),
          "the path is relative to the workflow file; the file must exist and have at most 4 MiB");
      return std::nullopt;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (has_too_many_values(text)) {
      fault("the list " + in_quotes(source_.text) + " has more than " + counted(file_nodes_max) +
                " values",
            "split the list into several jobs");
      return std::nullopt;
    }
    const Result<Json> whole = parse_json(text);
    if (whole && is_array(*whole)) return elements(*whole);
    if (whole && is_array(field(*whole, "tasks"))) return elements(field(*whole, "tasks"));
    return specs_in_lines(text);
  }

  std::optional<std::vector<Json>> specs_in_lines(const std::string& text) {
    std::vector<Json> specs;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      Result<Json> spec = parse_json(line);
      if (!spec) {
        fault("line " + std::to_string(number) + " of " + in_quotes(source_.text) +
                  " is not JSON: " + spec.error().message,
              "write a JSON list of task specs, or one spec on each line");
        return std::nullopt;
      }
      specs.push_back(*std::move(spec));
    }
    return specs;
  }

  /// Each task gets a copy of its handler, so a short list and a short file may become large.
  void limit_values() {
    std::map<std::string, std::size_t> of_handlers;
    for (const YamlMember& handler : handlers_.map) {
      of_handlers.emplace(handler.key, values_in(handler.value));
    }
    std::size_t values = 0;
    for (const TaskEntry& task : tasks_) {
      values += of_handlers.at(task.type) + task.depends_on.size();
    }
    if (values <= file_nodes_max) return;
    fault("with a copy of its handler for each task, the list " + in_quotes(source_.text) +
              " becomes " + counted(values) + " values; at most " + counted(file_nodes_max) +
              " are allowed",
          "shorten the handlers, or split the list into several jobs");
  }

  void add(const Json& spec) {
    TaskEntry task;
    task.spec = tree_of(spec);
    const std::string number = "task " + std::to_string(tasks_.size() + 1);
    tasks_.emplace_back();
    if (task.spec.kind != JsonTree::Kind::object) {
      return fault(number + " is not an object", "write {\"type\": …, \"title\": …}");
    }
    for (const JsonTreeMember& member : task.spec.members) check_key(number, member.key);
    task.type = text_at(task.spec, "type", number);
    task.title = text_at(task.spec, "title", number);
    (void)text_at(task.spec, "intent", number);
    const JsonTree* const hints = task.spec.find("hints");
    if (task.type.empty() && hints != nullptr) task.type = text_at(*hints, "type", number);
    if (const JsonTree* const needs = task.spec.find("depends_on")) {
      for (const JsonTree& one : needs->elements) task.depends_on.push_back(one.text);
      const bool is_list = needs->kind == JsonTree::Kind::array &&
                           std::ranges::all_of(needs->elements, [](const JsonTree& one) {
                             return one.kind == JsonTree::Kind::string;
                           });
      if (!is_list) fault("\"depends_on\" of " + number + " is not a list of titles");
    }
    if (task.type.empty()) {
      fault(number + " has no type", "give it a \"type\", or a \"type\" in its \"hints\"");
    } else if (handlers_.find(task.type) == nullptr) {
      const std::string meant = meant_by(task.type, types());
      fault("there is no handler for type " + in_quotes(task.type) + " of " + number,
            meant.empty() ? "add it to handlers:" : "did you mean " + in_quotes(meant) + "?");
    }
    tasks_.back() = std::move(task);
  }

  void check_key(const std::string& number, const std::string& key) {
    if (std::ranges::find(spec_keys, key) != spec_keys.end()) return;
    const std::vector<std::string> known(spec_keys.begin(), spec_keys.end());
    const std::string meant = meant_by(key, known);
    fault(
        number + " has an unknown key " + in_quotes(key),
        meant.empty() ? "the keys are " + listed(known) : "did you mean " + in_quotes(meant) + "?");
  }

  std::string text_at(const JsonTree& object, std::string_view key, const std::string& number) {
    const JsonTree* const value = object.find(key);
    if (value == nullptr || value->kind == JsonTree::Kind::null) return {};
    if (value->kind == JsonTree::Kind::string) return value->text;
    fault(in_quotes(key) + " of " + number + " is not text");
    return {};
  }

  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> names;
    for (const YamlMember& handler : handlers_.map) names.push_back(handler.key);
    return names;
  }

  void name_stages() {
    std::set<std::string> used;
    std::map<std::string, int> twins;  // the next number of each name that several tasks have
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      TaskEntry& task = tasks_[i];
      const std::string title = as_name(task.title);
      const std::string base =
          title.empty() ? as_name(task.type) + "-" + std::to_string(i + 1) : title;
      task.stage = base;
      int& twin = twins.try_emplace(base, 2).first->second;
      while (!used.insert(task.stage).second) task.stage = base + "-" + std::to_string(twin++);
    }
  }

  /// A title stands for every other task that has it. Names of stages may be used, too.
  void resolve_dependencies() {
    std::multimap<std::string, std::size_t> by_title;
    std::map<std::string, std::size_t> by_stage;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (!tasks_[i].title.empty()) by_title.emplace(tasks_[i].title, i);
      by_stage.emplace(tasks_[i].stage, i);
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      std::set<std::size_t> needs;
      for (const std::string& wanted : tasks_[i].depends_on) {
        const auto [first, last] = by_title.equal_range(wanted);
        for (auto one = first; one != last && needs.size() <= needs_max; ++one) {
          if (one->second != i) needs.insert(one->second);
        }
        if (first != last && (std::next(first) != last || first->second != i)) continue;
        if (first != last) {
          fault("task " + std::to_string(i + 1) + " depends on itself: " + in_quotes(wanted));
          continue;
        }
        const auto named = by_stage.find(wanted);
        if (named == by_stage.end()) {
          fault("task " + std::to_string(i + 1) + " depends on " + in_quotes(wanted) +
                    ", and no task has that title",
                "depends_on lists titles of other tasks");
        } else {
          needs.insert(named->second);
        }
      }
      tasks_[i].depends_on.clear();
      for (const std::size_t need : needs) tasks_[i].depends_on.push_back(tasks_[need].stage);
    }
  }

  Faults& faults_;
  const YamlNode& handlers_;
  const YamlNode& source_;
  std::vector<TaskEntry> tasks_;
  std::size_t count_ = 0;  ///< of faults
};

/// What a handler must leave to the task specs.
bool check_handler(Faults& faults, const YamlMember& handler) {
  const std::string where = "handler " + in_quotes(handler.key);
  if (!check_name(faults, handler.key_place, "a handler", handler.key)) return false;
  if (!expect_map(faults, {handler.value, where})) return false;
  bool is_fit = true;
  for (const char* const key : {"needs", "scope"}) {
    const YamlMember* const found = handler.value.find_member(key);
    if (found == nullptr) continue;
    is_fit = false;
    faults.add("E027", found->key_place, in_quotes(key) + " has no meaning in " + where,
               "the specs of the tasks say what depends on what: \"depends_on\"");
  }
  const YamlNode* const in = handler.value.find("in");
  const YamlMember* const own = in == nullptr ? nullptr : in->find_member("task");
  if (own == nullptr) return is_fit;
  faults.add("E027", own->key_place, "the input \"task\" of " + where + " is the spec of the task",
             "choose another name");
  return false;
}

YamlNode stage_of(const TaskEntry& task, const YamlNode& handler, const Place& place) {
  YamlNode stage = handler;
  YamlNode needs;
  needs.kind = YamlNode::Kind::list;
  needs.place = place;
  for (const std::string& need : task.depends_on) needs.list.push_back(text_node(need, place));
  if (!needs.list.empty()) stage.map.push_back({"needs", place, std::move(needs)});
  JsonTree spec = task.spec;
  std::erase_if(spec.members, [](const JsonTreeMember& one) { return one.key == "depends_on"; });
  YamlMember input{"task", place, node_of(spec, place)};
  std::erase_if(input.value.map, [](const YamlMember& one) { return one.key == "type"; });
  input.value.map.insert(input.value.map.begin(), {"type", place, text_node(task.type, place)});
  auto in = std::ranges::find(stage.map, "in", &YamlMember::key);
  if (in == stage.map.end()) {
    YamlNode inputs;
    inputs.kind = YamlNode::Kind::map;
    inputs.place = place;
    stage.map.push_back({"in", place, std::move(inputs)});
    in = std::prev(stage.map.end());
  }
  in->value.map.push_back(std::move(input));
  return stage;
}

}  // namespace

bool has_tasks(const YamlNode& root) {
  if (root.kind != YamlNode::Kind::map) return false;
  const YamlNode* const items = root.find("items");
  const bool names_list =
      items != nullptr && items->kind == YamlNode::Kind::map && items->find("tasks") != nullptr;
  return names_list || root.find("handlers") != nullptr;
}

bool expand_tasks(Faults& faults, YamlNode& root, const std::filesystem::path& project) {
  const YamlMember* const handlers = root.find_member("handlers");
  const YamlNode* const items = root.find("items");
  const YamlNode* const source = items == nullptr ? nullptr : items->find("tasks");
  if (handlers == nullptr) {
    faults.add("E056", source->place, "the tasks have no handlers",
               "add handlers: with an action for each type of task");
    return false;
  }
  if (source == nullptr) {
    faults.add("E056", handlers->key_place, "the handlers have no tasks",
               "add items: { tasks: FILE }, or write stages: instead of handlers:");
    return false;
  }
  if (const YamlMember* const stages = root.find_member("stages")) {
    faults.add("E027", stages->key_place, "\"stages\" has no meaning in a file with handlers",
               "each task of the list becomes a stage; remove one of the two");
    return false;
  }
  if (!expect_map(faults, {handlers->value, "\"handlers\""})) return false;
  const Value path{*source, "\"tasks\" in \"items\""};
  if (!read_text(faults, path)) return false;
  refuse_references(faults, path);
  bool are_fit = true;
  for (const YamlMember& handler : handlers->value.map) {
    are_fit = check_handler(faults, handler) && are_fit;
  }
  if (!are_fit || faults.has_errors()) return false;
  const auto tasks = TaskList(faults, handlers->value, *source).read(project);
  if (!tasks) return false;
  YamlMember stages{"stages", handlers->key_place, {}};
  stages.value.kind = YamlNode::Kind::map;
  stages.value.place = handlers->value.place;
  for (const TaskEntry& task : *tasks) {
    const YamlMember& handler = *handlers->value.find_member(task.type);
    stages.value.map.push_back(
        {task.stage, handler.key_place, stage_of(task, handler.value, source->place)});
  }
  root.map.push_back(std::move(stages));
  return true;
}

}  // namespace pawl::workflow
