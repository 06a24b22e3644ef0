#include "cli/output/drawing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/output/render.hpp"

namespace pawl::cli {

namespace {

/// A point in a layer: a node, or a line that passes through the layer.
struct Point {
  std::size_t node = 0;
  bool is_passing = false;
  std::size_t row = 0;
  std::vector<std::size_t> from;  ///< indexes of points in the previous layer
  bool has_next = false;
};
using Layer = std::vector<Point>;

/// A vertical line between two layers. Everything on its left leads to everything on its right.
struct Upright {
  std::size_t top = 0;
  std::size_t bottom = 0;
};

constexpr std::size_t plain_gap = 4;    // " ── "
constexpr std::size_t upright_gap = 5;  // " ─┬─ "

class Sheet {
 public:
  explicit Sheet(const std::vector<DrawnNode>& nodes) : nodes_(nodes) {}

  std::optional<std::string> draw() {
    place_in_layers();
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) give_rows(layer);
    for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer) {
      if (!join(layer)) return std::nullopt;
    }
    std::string out;
    for (std::size_t row = 0; row < rows_; ++row) out += line(row) + "\n";
    return out;
  }

 private:
  /// A node is placed one layer after its last predecessor. Longer lines pass through the layers in
  /// between.
  void place_in_layers() {
    std::vector<std::size_t> layer_of(nodes_.size(), 0);
    for (std::size_t round = 0; round < nodes_.size(); ++round) {
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        for (const std::size_t before : nodes_[node].after) {
          layer_of[node] = std::max(layer_of[node], layer_of[before] + 1);
        }
      }
    }
    std::vector<std::size_t> reaches(nodes_.size(), 0);
    std::size_t last = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      last = std::max(last, layer_of[node]);
      for (const std::size_t before : nodes_[node].after) {
        reaches[before] = std::max(reaches[before], layer_of[node]);
      }
    }
    layers_.resize(last + 1);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> place;  // (node, layer) -> point
    for (std::size_t layer = 0; layer <= last; ++layer) {
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        const bool stands = layer_of[node] == layer;
        const bool passes = layer_of[node] < layer && reaches[node] > layer;
        if (!stands && !passes) continue;
        Point point{.node = node,
                    .is_passing = passes,
                    .row = 0,
                    .from = {},
                    .has_next = reaches[node] > layer};
        if (passes) point.from.push_back(place.at({node, layer - 1}));
        if (stands) {
          for (const std::size_t before : nodes_[node].after) {
            point.from.push_back(place.at({before, layer - 1}));
          }
        }
        place[{node, layer}] = layers_[layer].size();
        layers_[layer].push_back(std::move(point));
      }
    }
  }

  /// Places each point in its own row, near its predecessors and in the same order.
  void give_rows(std::size_t layer) {
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<std::size_t> wanted(layers_[layer].size(), 0);
    for (std::size_t i = 0; i < layers_[layer].size(); ++i) {
      std::vector<std::size_t> rows;
      for (const std::size_t from : layers_[layer][i].from) {
        rows.push_back(layers_[layer - 1][from].row);
      }
      std::ranges::sort(rows);
      double mean = static_cast<double>(i) / 1'000.0;
      for (const std::size_t row : rows) {
        mean += static_cast<double>(row) / static_cast<double>(rows.size());
      }
      if (rows.empty() && layer > 0) mean += static_cast<double>(rows_);
      wanted[i] = rows.empty() ? 0 : rows[(rows.size() - 1) / 2];
      order.emplace_back(mean, i);
    }
    std::ranges::sort(order);
    std::size_t free = 0;
    for (const auto& [mean, i] : order) {
      Point& point = layers_[layer][i];
      point.row = std::max(free, wanted[i]);
      free = point.row + 1;
      rows_ = std::max(rows_, free);
    }
  }

  /// Joins a layer to the next. Returns false if the lines would be ambiguous.
  bool join(std::size_t layer) {
    const Layer& left = layers_[layer];
    const Layer& right = layers_[layer + 1];
    std::map<std::set<std::size_t>, std::vector<std::size_t>> by_sources;
    std::set<std::size_t> used;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!right[i].from.empty()) {
        by_sources[{right[i].from.begin(), right[i].from.end()}].push_back(i);
      }
    }
    std::vector<Upright> uprights;
    std::vector<std::size_t> straight;
    for (const auto& [sources, targets] : by_sources) {
      std::size_t top = rows_;
      std::size_t bottom = 0;
      const auto cover = [&](std::size_t row) {
        top = std::min(top, row);
        bottom = std::max(bottom, row);
      };
      for (const std::size_t source : sources) {
        if (!used.insert(source).second) return false;  // its line would also lead to other points
        cover(left[source].row);
      }
      for (const std::size_t target : targets) cover(right[target].row);
      if (top == bottom) {
        straight.push_back(top);
      } else {
        uprights.push_back({.top = top, .bottom = bottom});
      }
    }
    std::ranges::sort(uprights, {}, &Upright::top);
    for (std::size_t i = 0; i < uprights.size(); ++i) {
      if (i > 0 && uprights[i].top <= uprights[i - 1].bottom) return false;
      const bool is_crossed = std::ranges::any_of(straight, [&](std::size_t row) {
        return row >= uprights[i].top && row <= uprights[i].bottom;
      });
      if (is_crossed) return false;
    }
    uprights_.push_back(std::move(uprights));
    return true;
  }

  [[nodiscard]] const Point* point_at(std::size_t layer, std::size_t row) const {
    const auto found = std::ranges::find(layers_[layer], row, &Point::row);
    return found == layers_[layer].end() ? nullptr : &*found;
  }

  static std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  }

  /// One row of the picture.
  [[nodiscard]] std::string line(std::size_t row) const {
    std::string out;
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      std::size_t width = 0;
      for (const Point& point : layers_[layer]) {
        if (!point.is_passing) width = std::max(width, display_width(nodes_[point.node].label));
      }
      const Point* point = point_at(layer, row);
      if (point == nullptr) {
        out.append(width, ' ');
      } else if (point->is_passing) {
        out += repeated("─", width);
      } else {
        const std::string& label = nodes_[point->node].label;
        const std::size_t rest = width - display_width(label);
        out += label;
        if (point->has_next && rest > 0) {
          out += " " + repeated("─", rest - 1);
        } else {
          out.append(rest, ' ');
        }
      }
      if (layer + 1 < layers_.size()) out += gap(layer, row, point, width);
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  /// The text between two layers in one row.
  [[nodiscard]] std::string gap(std::size_t layer, std::size_t row, const Point* left,
                                std::size_t width) const {
    const Point* right = point_at(layer + 1, row);
    const bool leaves = left != nullptr && left->has_next;
    const bool arrives = right != nullptr && !right->from.empty();
    const bool line_is_on =
        leaves && !left->is_passing && display_width(nodes_[left->node].label) < width;
    const std::string before = leaves ? (left->is_passing || line_is_on ? "─" : " ") : " ";
    const bool is_doubled = arrives && !right->is_passing && nodes_[right->node].is_doubled;
    const std::string dash = is_doubled ? "═" : "─";
    const std::string after = arrives ? dash + (right->is_passing ? "─" : " ") : "  ";
    const std::vector<Upright>& uprights = uprights_[layer];
    if (uprights.empty()) {
      static_assert(plain_gap == 4);
      return leaves && arrives ? before + dash + after : std::string(plain_gap, ' ');
    }
    static_assert(upright_gap == 5);
    bool up = false;
    bool down = false;
    for (const Upright& upright : uprights) {
      up = up || (row > upright.top && row <= upright.bottom);
      down = down || (row >= upright.top && row < upright.bottom);
    }
    return before + (leaves ? "─" : " ") + corner(leaves, arrives, up, down) + after;
  }

  static std::string corner(bool left, bool right, bool up, bool down) {
    static const std::map<std::string, std::string> corners = {
        {"", " "},    {"lr", "─"}, {"lrd", "┬"}, {"lru", "┴"}, {"lrud", "┼"},
        {"ld", "┐"},  {"lu", "┘"}, {"lud", "┤"}, {"rd", "┌"},  {"ru", "└"},
        {"rud", "├"}, {"ud", "│"}, {"l", " "},   {"r", " "},
    };
    const std::string which =
        std::string(left ? "l" : "") + (right ? "r" : "") + (up ? "u" : "") + (down ? "d" : "");
    return corners.at(which);
  }

  const std::vector<DrawnNode>& nodes_;
  std::vector<Layer> layers_;
  std::vector<std::vector<Upright>> uprights_;  ///< after each layer except the last
  std::size_t rows_ = 0;
};

}  // namespace

std::optional<std::string> draw(const std::vector<DrawnNode>& nodes) {
  if (nodes.empty()) return std::string{};
  return Sheet(nodes).draw();
}

}  // namespace pawl::cli
