#include "workflow/yaml.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <libfyaml.h>

#include "pawl/workflow/file.hpp"
#include "workflow/source_text.hpp"
#include "workflow/yaml_scalar.hpp"
#include "workflow/yaml_syntax.hpp"
#include "workflow/yaml_text.hpp"

namespace pawl::workflow {
namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t faults_max = 100;

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct DiagEnd {
  void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
};
struct ParserEnd {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};
struct EventEnd {
  fy_parser* parser = nullptr;
  void operator()(fy_event* event) const { fy_parser_event_free(parser, event); }
};

/// Reads the events of the YAML parser, one at a time.
class Events {
 public:
  explicit Events(std::string_view text) {
    fy_diag_cfg messages{};
    fy_diag_cfg_default(&messages);
    messages.fp = nullptr;
    // Messages are collected; they must not reach the terminal.
    messages.output_fn = [](fy_diag*, void*, const char*, std::size_t) {};
    diag_.reset(fy_diag_create(&messages));
    if (!diag_) return;
    fy_diag_set_collect_errors(diag_.get(), true);
    fy_parse_cfg config{};
    config.diag = diag_.get();
    config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
                                                   FYPCF_DEFAULT_VERSION_1_2);
    parser_.reset(fy_parser_create(&config));
    if (parser_ && fy_parser_set_string(parser_.get(), text.data(), text.size()) != 0) {
      parser_.reset();
    }
  }

  /// Null at the end and after a fault.
  fy_event* next() {
    event_.reset();
    if (!parser_) return nullptr;
    event_ = {fy_parser_parse(parser_.get()), EventEnd{parser_.get()}};
    return event_.get();
  }

  [[nodiscard]] std::optional<ParserComplaint> complaint() const {
    void* from = nullptr;
    const fy_diag_error* const error = diag_ ? fy_diag_errors_iterate(diag_.get(), &from) : nullptr;
    if (error == nullptr) return std::nullopt;
    return ParserComplaint{.message = error->msg == nullptr ? "" : error->msg,
                           .line = static_cast<std::size_t>(std::max(error->line, 1)),
                           .column = static_cast<std::size_t>(std::max(error->column, 1))};
  }

 private:
  std::unique_ptr<fy_diag, DiagEnd> diag_;
  std::unique_ptr<fy_parser, ParserEnd> parser_;
  std::unique_ptr<fy_event, EventEnd> event_;
};

std::string text_of(fy_token* token) {
  std::size_t length = 0;
  const char* const text = token == nullptr ? nullptr : fy_token_get_text(token, &length);
  return text == nullptr ? std::string() : std::string(text, length);
}

std::optional<Span> span_of(fy_token* token) {
  if (token == nullptr) return std::nullopt;
  const fy_mark* const begin = fy_token_start_mark(token);
  const fy_mark* const end = fy_token_end_mark(token);
  if (begin == nullptr || end == nullptr) return std::nullopt;
  return Span{.begin = begin->input_pos, .end = end->input_pos};
}

std::string shown(std::string_view key) { return "\"" + std::string(key) + "\""; }

/// Builds the tree from the events, and collects faults on the way.
class Builder {
 public:
  Builder(const SourceText& source, std::string_view file) : source_(source), file_(file) {}

  void build() {
    Events events(source_.text());
    while (fy_event* const event = events.next()) {
      if (event->type == FYET_STREAM_END) {
        if (documents_ == 0 || root_.kind == Kind::null) refuse_emptiness();
        return;
      }
      if (!take(*event)) return;
    }
    refuse_syntax(events.complaint());
  }

  std::expected<YamlNode, std::vector<Diagnostic>> answer() && {
    if (faults_.empty()) return std::move(root_);
    std::ranges::stable_sort(faults_, {}, [](const Diagnostic& fault) {
      return std::pair(fault.place.line, fault.place.column);
    });
    return std::unexpected(std::move(faults_));
  }

 private:
  /// A list or map that is not closed yet.
  struct Open {
    YamlNode node;
    std::size_t begin = 0;
    bool is_key = false;               ///< it stands in place of a key, and is dropped
    std::optional<YamlMember> member;  ///< the member whose value comes next
    std::unordered_map<std::string, std::uint32_t> lines;  ///< the line of each key
  };

  void refuse(std::string code, Place place, std::string message, std::string help) {
    if (faults_.size() >= faults_max) return;
    faults_.push_back({.code = std::move(code),
                       .message = std::move(message),
                       .file = file_,
                       .place = place,
                       .help = std::move(help)});
  }

  void refuse_emptiness() {
    if (!faults_.empty()) return;
    refuse("E001", documents_ == 0 ? Place{} : root_.place, "the file is empty",
           "start with version: 1 and workflow: NAME");
  }

  void refuse_syntax(std::optional<ParserComplaint> complaint) {
    if (!complaint) complaint = ParserComplaint{.message = "the text cannot be parsed", .line = 1};
    const auto flow =
        std::find_if(open_.rbegin(), open_.rend(), [](const Open& it) { return it.node.is_flow; });
    if (flow != open_.rend()) complaint->open_bracket = flow->begin;
    Diagnostic fault = explain_complaint(*complaint, source_);
    fault.file = file_;
    faults_.push_back(std::move(fault));
  }

  /// False: there is no point in reading on.
  bool take(fy_event& event) {
    switch (event.type) {
      case FYET_NONE:
      case FYET_STREAM_START:
      case FYET_STREAM_END:
      case FYET_DOCUMENT_END:
        return true;
      case FYET_DOCUMENT_START:
        return take_document(event);
      case FYET_MAPPING_START:
        refuse_decorations(event.mapping_start.anchor, event.mapping_start.tag);
        return open(Kind::map, event, event.mapping_start.mapping_start);
      case FYET_SEQUENCE_START:
        refuse_decorations(event.sequence_start.anchor, event.sequence_start.tag);
        return open(Kind::list, event, event.sequence_start.sequence_start);
      case FYET_MAPPING_END:
        return close(event.mapping_end.mapping_end);
      case FYET_SEQUENCE_END:
        return close(event.sequence_end.sequence_end);
      case FYET_SCALAR:
        refuse_decorations(event.scalar.anchor, event.scalar.tag);
        return take_scalar(event);
      case FYET_ALIAS:
        return take_alias(event);
    }
    return true;
  }

  bool take_document(fy_event& event) {
    if (++documents_ == 1) return true;
    const auto span = span_of(event.document_start.document_start);
    const Span place = span.value_or(Span{.begin = end_, .end = end_});
    refuse("E006", source_.place(place.begin, place.end), "a second document begins here",
           "a workflow file is one document; remove this line, or split the file in two");
    return false;
  }

  void refuse_decorations(fy_token* anchor, fy_token* tag) {
    if (const auto span = span_of(anchor)) {
      const Place place =
          source_.place(span->begin - std::min<std::size_t>(span->begin, 1), span->end);
      refuse("E004", place, "anchors are not allowed: &" + text_of(anchor),
             "write the value where it is needed; put what all stages share under `defaults:`");
    }
    if (const auto span = span_of(tag)) {
      refuse("E005", source_.place(span->begin, span->end), "tags are not allowed: " + text_of(tag),
             "remove it; to make the value text, quote it");
    }
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == Kind::map && !open_.back().member;
  }

  bool open(Kind kind, fy_event& event, fy_token* token) {
    const auto span = span_of(token).value_or(Span{.begin = end_, .end = end_});
    Open opened{.begin = span.begin, .is_key = expects_key()};
    opened.node.kind = kind;
    opened.node.is_flow = fy_event_get_node_style(&event) == FYNS_FLOW;
    // A block begins with its first key or dash and includes the rest of the line.
    opened.node.place = source_.place(span.begin, source_.text().size());
    end_ = span.end;
    if (!count_node(opened.node.place)) return false;
    if (open_.size() == file_depth_max) {
      refuse("E008", source_.place(span.begin, span.begin + 1),
             "more than " + std::to_string(file_depth_max) + " levels of nesting",
             "a workflow needs only a few; look for an unclosed bracket");
      return false;
    }
    if (opened.is_key) refuse_key(source_.place(span.begin, span.begin + 1));
    open_.push_back(std::move(opened));
    return true;
  }

  bool close(fy_token* token) {
    if (open_.empty()) return true;
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.node.is_flow) {
      const auto span = span_of(token);
      if (span && span->end > span->begin) {
        closed.node.place = source_.place(closed.begin, span->end);
        end_ = span->end;
      }
    }
    if (closed.is_key) {
      begin_member({}, closed.node.place);
    } else {
      add(std::move(closed.node));
    }
    return true;
  }

  bool take_scalar(fy_event& event) {
    YamlNode node{.kind = Kind::string, .text = text_of(event.scalar.value)};
    node.is_flow = !open_.empty() && open_.back().node.is_flow;
    const fy_scalar_style style = fy_token_scalar_style(event.scalar.value);
    node.is_block_text = style == FYSS_LITERAL || style == FYSS_FOLDED;
    node.place = place_of_scalar(event.scalar.value, style);
    if (!count_node(node.place)) return false;

    const bool is_plain = style == FYSS_PLAIN || style == FYSS_ANY;
    if (expects_key()) {
      take_key(std::move(node), is_plain);
      return true;
    }
    if (is_plain) {
      const PlainScalar meant = read_plain(node.text);
      node.kind = meant.kind;
      node.boolean = meant.boolean;
      if (!meant.has_json) {
        refuse("E014", node.place, "the number " + node.text + " is not supported",
               "write a finite number, or quote it if it is text");
      }
    }
    add(std::move(node));
    return true;
  }

  void take_key(YamlNode node, bool is_plain) {
    if (is_plain && node.text == "<<") {
      refuse("E004", node.place, "merge keys (<<) are not allowed",
             "write the keys where they are needed; put what all stages share under `defaults:`");
      begin_member({}, node.place);
      return;
    }
    if (is_plain && read_plain(node.text).kind != Kind::string) {
      refuse_key(node.place, node.text);
      begin_member({}, node.place);
      return;
    }
    Open& map = open_.back();
    const auto [first, is_new] = map.lines.emplace(node.text, node.place.line);
    if (!is_new) {
      refuse("E003", node.place, "the key " + shown(node.text) + " appears twice",
             "the first is on line " + std::to_string(first->second) + "; keep one of them");
    }
    begin_member(std::move(node.text), node.place);
  }

  bool take_alias(fy_event& event) {
    const auto span = span_of(event.alias.anchor).value_or(Span{.begin = end_, .end = end_});
    const Place place = source_.place(span.begin - std::min<std::size_t>(span.begin, 1), span.end);
    end_ = span.end;
    refuse("E004", place, "aliases are not allowed: *" + text_of(event.alias.anchor),
           "write the value here; if this is a text that begins with *, quote it");
    if (!count_node(place)) return false;
    if (expects_key()) {
      begin_member({}, place);
    } else {
      add({.place = place});
    }
    return true;
  }

  void refuse_key(Place place, std::string_view text = {}) {
    if (text.empty()) {
      refuse("E007", place, "a key must be text", "write a name before the colon");
    } else {
      refuse("E007", place, "the key " + std::string(text) + " is not text",
             "quote it: " + shown(text));
    }
  }

  void begin_member(std::string key, Place place) {
    Open& map = open_.back();
    map.member = YamlMember{.key = std::move(key), .key_place = place};
    // A block map, and one without braces in [a: b], begins with its first key.
    const bool has_brace = source_.text().substr(map.begin).starts_with('{') && map.node.is_flow;
    if (map.node.map.empty() && !has_brace) {
      map.node.place.line = place.line;
      map.node.place.column = place.column;
      map.node.place.end_column = std::max(map.node.place.end_column, place.end_column);
    }
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Kind::list) {
      parent.node.list.push_back(std::move(node));
    } else if (parent.member) {
      parent.member->value = std::move(node);
      parent.node.map.push_back(*std::move(parent.member));
      parent.member.reset();
    }
  }

  bool count_node(Place place) {
    if (++nodes_ <= file_nodes_max) return true;
    refuse("E008", place, "more than " + std::to_string(file_nodes_max) + " values in one file",
           "move the data to another file and read it with items: { file: … }");
    return false;
  }

  Place place_of_scalar(fy_token* token, fy_scalar_style style) {
    auto span = span_of(token);
    if (!span) {
      // The value is missing: use the place of its key or of the list.
      if (open_.empty()) return source_.place(end_, end_);
      return open_.back().member ? open_.back().member->key_place : open_.back().node.place;
    }
    const std::string_view text = source_.text();
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
      // The parser's marks do not include the quotes.
      span->begin -= std::min<std::size_t>(span->begin, 1);
      span->end = std::min(span->end + 1, text.size());
    } else if (style == FYSS_LITERAL || style == FYSS_FOLDED) {
      const std::size_t first = text.find_first_not_of(" \t\r\n", span->begin);
      if (first < span->end) {
        span->begin = first;
      } else if (!open_.empty() && open_.back().member) {
        end_ = span->end;
        return open_.back().member->key_place;
      }
    }
    end_ = span->end;
    return source_.place(span->begin, span->end);
  }

  const SourceText& source_;
  std::string file_;
  std::vector<Open> open_;
  YamlNode root_;
  std::vector<Diagnostic> faults_;
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t end_ = 0;  ///< where the last token ended, in bytes
};

Json json_of_scalar(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null:
      return nullptr;
    case Kind::boolean:
      return node.boolean;
    case Kind::integer:
    case Kind::number: {
      auto number = json_number(node.text);
      require(number.has_value(), "a number that JSON cannot hold was let in");
      return Json::trusted(*std::move(number));
    }
    case Kind::string:
    case Kind::list:
    case Kind::map:
      return node.text;
  }
  return nullptr;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const YamlMember* const member = find_member(key);
  return member == nullptr ? nullptr : &member->value;
}

const YamlMember* YamlNode::find_member(std::string_view key) const {
  const auto found = std::ranges::find(map, key, &YamlMember::key);
  return found == map.end() ? nullptr : &*found;
}

std::expected<YamlNode, std::vector<Diagnostic>> parse_yaml(std::string_view text,
                                                            std::string_view file) {
  if (text.size() > file_bytes_max) {
    return std::unexpected(std::vector{Diagnostic{
        .code = "E008",
        .message = "the file is larger than " + std::to_string(file_bytes_max >> 20U) + " MiB",
        .file = std::string(file),
        .help = "move the data to another file and read it with items: { file: … }"}});
  }
  const SourceText source(text);
  auto faults = faults_of_text(source, file);
  if (!faults.empty()) return std::unexpected(std::move(faults));

  Builder builder(source, file);
  builder.build();
  return std::move(builder).answer();
}

Json to_json(const YamlNode& node) {
  if (node.kind == Kind::list) {
    std::vector<Json> elements;
    for (const YamlNode& element : node.list) elements.push_back(to_json(element));
    return Json::array(elements);
  }
  if (node.kind == Kind::map) {
    std::vector<std::pair<std::string, Json>> members;
    for (const YamlMember& member : node.map)
      members.emplace_back(member.key, to_json(member.value));
    return Json::object(members);
  }
  return json_of_scalar(node);
}

std::string in_words(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null:
      return "nothing";
    case Kind::boolean:
      return node.boolean ? "true" : "false";
    case Kind::integer:
    case Kind::number:
      return "the number " + node.text;
    case Kind::string:
      return "text";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "nothing";
}

}  // namespace pawl::workflow
