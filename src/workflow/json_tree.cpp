#include "workflow/json_tree.hpp"

#include <algorithm>
#include <cmath>

#include "pawl/codec/json.hpp"

namespace pawl::workflow {
namespace {

long double number_in(const Json& value) {
  if (const auto integer = JsonView(value).integer()) return static_cast<long double>(*integer);
  return static_cast<long double>(JsonView(value).number().value_or(0));
}

}  // namespace

const JsonTree* JsonTree::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &JsonTreeMember::key);
  return found == members.end() ? nullptr : &found->value;
}

bool JsonTree::is_whole() const { return kind == Kind::number && std::floor(number) == number; }

JsonTree tree_of(const Json& value, std::size_t depth) {
  JsonTree tree;
  tree.json = value;
  if (is_boolean(value)) {
    tree.kind = JsonTree::Kind::boolean;
    tree.boolean = *JsonView(value).boolean();
  } else if (is_number(value)) {
    tree.kind = JsonTree::Kind::number;
    tree.number = number_in(value);
  } else if (is_string(value)) {
    tree.kind = JsonTree::Kind::string;
    tree.text = *JsonView(value).string();
  } else if (is_array(value)) {
    tree.kind = JsonTree::Kind::array;
    if (depth == 0) return tree;
    for (const Json& element : elements(value)) {
      tree.elements.push_back(tree_of(element, depth - 1));
    }
  } else if (is_object(value)) {
    tree.kind = JsonTree::Kind::object;
    if (depth == 0) return tree;
    for (const auto& [key, member] : members(value)) {
      tree.members.push_back({key, tree_of(member, depth - 1)});
    }
  }
  return tree;
}

}  // namespace pawl::workflow
