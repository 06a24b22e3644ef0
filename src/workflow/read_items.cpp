#include "workflow/read_items.hpp"

#include <utility>

#include "workflow/map_reader.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {
namespace {

/// Which of glob, file, run and tasks the map has; empty if not exactly one.
std::optional<std::string> source_of(const MapReader& reader, const YamlNode& node) {
  std::vector<std::string> sources;
  for (const char* const source : {"glob", "file", "run", "tasks"}) {
    if (reader.has(source)) sources.emplace_back(source);
  }
  if (sources.size() == 1) return sources.front();
  reader.faults().add(
      "E053", node.place,
      sources.empty() ? "the items have no source" : "the items have more than one source",
      "give exactly one of glob, file, run and tasks; or write the items as a list");
  return std::nullopt;
}

/// Tasks become stages, and the job has one item: there is nothing to select or to name.
void refuse_beside_tasks(const MapReader& reader, const YamlNode& node) {
  for (const YamlMember& member : node.map) {
    if (member.key == "tasks" || reader.member(member.key) == nullptr) continue;
    reader.faults().add("E027", member.key_place,
                        in_quotes(member.key) + " has no meaning beside \"tasks\"",
                        "each task becomes a stage, and the job has one item");
  }
}

std::string read_key(const MapReader& reader, std::string_view key, FileDraft& file) {
  const auto value = reader.find(key);
  if (!value) return {};
  const auto text = read_text(reader.faults(), *value);
  if (text) read_template(reader.faults(), value->node, Spot::item_key, file.uses);
  return text.value_or("");
}

void read_path(const MapReader& reader, FileDraft& file) {
  const auto path = reader.find("path");
  if (!path) return;
  file.items.path = read_text(reader.faults(), *path).value_or("");
  refuse_references(reader.faults(), *path);
  if (!reader.has("glob")) return;
  reader.faults().add("E027", reader.member("path")->key_place,
                      "\"path\" has no meaning for items found by glob",
                      "path says where the items are in each JSON document of file or run");
}

}  // namespace

void read_items_source(Faults& faults, const Value& value, FileDraft& file) {
  ItemsSpec& items = file.items;
  if (value.node.kind == YamlNode::Kind::list) {
    items.kind = ItemsSpec::Kind::list;
    refuse_references(faults, value,
                      "items in a list are data; make the stages read params instead");
    for (const YamlNode& item : value.node.list) items.list.push_back(to_json(item));
    return;
  }
  if (value.node.kind != YamlNode::Kind::map) {
    faults.add("E011", value.node.place,
               value.what + " must be a list or a map, not " +
                   (value.node.kind == YamlNode::Kind::null ? "empty" : in_words(value.node)),
               "write items: [a, b], or items: { glob: \"data/*.csv\" }");
    return;
  }
  const MapReader reader(faults, value.node, KeyPlace::items, value.what);
  const std::optional<std::string> source = source_of(reader, value.node);
  if (source == "tasks") return refuse_beside_tasks(reader, value.node);
  if (source == "run") {
    items.kind = ItemsSpec::Kind::run;
    items.argv = read_command(faults, *reader.find("run"), Spot::item_source, file.uses);
  } else if (source) {
    items.kind = *source == "glob" ? ItemsSpec::Kind::glob : ItemsSpec::Kind::file;
    const Value written = *reader.find(*source);
    items.source = read_text(faults, written).value_or("");
    read_template(faults, written.node, Spot::item_source, file.uses);
  }
  items.id = read_key(reader, "id", file);
  items.keyed_by_path = items.kind == ItemsSpec::Kind::glob && items.id.empty();
  items.category = read_key(reader, "category", file);
  read_path(reader, file);
  if (const auto offset = reader.find("offset")) {
    items.offset = read_integer(faults, *offset, 0).value_or(0);
  }
  if (const auto limit = reader.find("limit")) items.limit = read_integer(faults, *limit, 0);
}

}  // namespace pawl::workflow
