#include "workflow/reference.hpp"

#include <gtest/gtest.h>

namespace pawl::workflow {
namespace {

Reference only(std::string_view text) {
  const auto parsed = Template::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  const Reference* const single = parsed ? parsed->single() : nullptr;
  EXPECT_NE(single, nullptr) << text;
  return single == nullptr ? Reference{} : *single;
}

TemplateFault fault_of(std::string_view text) {
  const auto parsed = Template::parse(text);
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? TemplateFault{} : parsed.error();
}

TEST(Reference, names_its_root_field_and_path) {
  EXPECT_EQ(only("${item}"), (Reference{Reference::Root::item, "", ""}));
  EXPECT_EQ(only("${item.path}"), (Reference{Reference::Root::item, "", "path"}));
  EXPECT_EQ(only("${item[0].a}"), (Reference{Reference::Root::item, "", "[0].a"}));
  EXPECT_EQ(only("${params.corpus}"), (Reference{Reference::Root::params, "", "corpus"}));
  EXPECT_EQ(only("${in.pdf}"), (Reference{Reference::Root::in, "", "pdf"}));
  EXPECT_EQ(only("${out.words}"), (Reference{Reference::Root::out, "", "words"}));
  EXPECT_EQ(only("${each.page-number}"), (Reference{Reference::Root::each, "", "page-number"}));
  EXPECT_EQ(only("${stages.convert.out.graph.nodes[0]}"),
            (Reference{Reference::Root::stage, "convert", "graph.nodes[0]"}));
  EXPECT_EQ(only("${stages.out.out.out}"), (Reference{Reference::Root::stage, "out", "out"}));
}

TEST(Reference, tells_its_field_from_what_follows) {
  const Reference deep = only("${stages.s.out.graph.nodes[0].x}");
  EXPECT_EQ(deep.field(), "graph");
  EXPECT_EQ(deep.beyond_field(), "nodes[0].x");
  const Reference indexed = only("${in.pages[3].text}");
  EXPECT_EQ(indexed.field(), "pages");
  EXPECT_EQ(indexed.beyond_field(), "[3].text");
  EXPECT_EQ(only("${in.pdf}").beyond_field(), "");
  EXPECT_EQ(only("${item}").field(), "");
}

TEST(Reference, is_written_back_as_it_was_read) {
  for (const std::string_view text :
       {"${item}", "${item.path}", "${item[0].a}", "${params.x}", "${in.pdf}", "${out.words}",
        "${stages.a-b.out.graph.nodes[0]}", "${each}", "${each.x[1][2]}"}) {
    EXPECT_EQ(only(text).text(), text);
  }
}

TEST(Template, keeps_plain_text_and_references_in_order) {
  const auto parsed = Template::parse("a $HOME/${item.name}-${params.x}.md");
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->pieces().size(), 5U);
  EXPECT_EQ(std::get<std::string>(parsed->pieces()[0]), "a $HOME/");
  EXPECT_EQ(std::get<Reference>(parsed->pieces()[1]).path, "name");
  EXPECT_EQ(std::get<std::string>(parsed->pieces()[2]), "-");
  EXPECT_EQ(std::get<std::string>(parsed->pieces()[4]), ".md");
  EXPECT_TRUE(parsed->has_references());
  EXPECT_EQ(parsed->single(), nullptr);
}

TEST(Template, takes_a_doubled_dollar_for_a_plain_one) {
  const auto parsed = Template::parse("$${item} and $$5 $");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_FALSE(parsed->has_references());
  EXPECT_EQ(std::get<std::string>(parsed->pieces()[0]), "${item} and $$5 $");
  EXPECT_TRUE(Template::parse("")->pieces().empty());
}

TEST(Template, says_where_a_reference_is_not_closed) {
  const TemplateFault open = fault_of("ab ${item.path");
  EXPECT_EQ(open.at, 3U);
  EXPECT_EQ(open.length, 11U);
  EXPECT_EQ(open.message, "\"${\" is never closed");
  EXPECT_EQ(fault_of("${item\n}").length, 6U);
}

TEST(Template, suggests_the_nearest_root) {
  const TemplateFault misspelt = fault_of("x${itm.path}");
  EXPECT_EQ(misspelt.at, 1U);
  EXPECT_EQ(misspelt.length, 11U);
  EXPECT_EQ(misspelt.message, "unknown reference ${itm}");
  EXPECT_EQ(misspelt.help, "did you mean ${item.path}?");
  EXPECT_EQ(fault_of("${stage.a.out.b}").help, "did you mean ${stages.a.out.b}?");
  EXPECT_EQ(fault_of("${HOME}").help,
            "a reference starts with item, params, in, out, stages or each; for a literal \"${\" "
            "write \"$${\"");
}

TEST(Template, wants_the_output_of_a_stage) {
  EXPECT_EQ(fault_of("${stages.convert.markdown}").help, "write ${stages.convert.out.markdown}");
  EXPECT_EQ(fault_of("${stages.convert}").help, "write ${stages.convert.out.FIELD}");
  EXPECT_EQ(fault_of("${stages.convert.out}").help, "write ${stages.convert.out.FIELD}");
  EXPECT_EQ(fault_of("${stages.convert.out[0]}").help, "write ${stages.convert.out.FIELD}");
  EXPECT_EQ(fault_of("${stages}").help, "write ${stages.NAME.out.FIELD}");
  EXPECT_EQ(fault_of("${stages.convert.output.x}").message,
            "\"${stages.convert.output.x}\" does not name an output of stage \"convert\"");
}

TEST(Template, wants_a_name_after_params_in_and_out) {
  EXPECT_EQ(fault_of("${params}").help, "write ${params.NAME}");
  EXPECT_EQ(fault_of("${in[0]}").message, "\"${in[0]}\" does not name a value");
  EXPECT_EQ(fault_of("${out}").help, "write ${out.NAME}");
}

TEST(Template, is_no_template_language) {
  const std::string_view no_arithmetic = "there is no arithmetic";
  EXPECT_TRUE(fault_of("${out.a + 1}").help.ends_with(no_arithmetic));
  EXPECT_TRUE(fault_of("${out.a*2}").help.ends_with(no_arithmetic));
  EXPECT_TRUE(fault_of("${upper(item)}").help.ends_with("there are no functions"));
  EXPECT_TRUE(fault_of("${item | upper}").help.ends_with("there are no functions"));
  EXPECT_TRUE(fault_of("${ item }").help.ends_with("it contains no spaces"));
  EXPECT_EQ(fault_of("${ item }").message, "\"${ item }\" is not a reference");
  for (const std::string_view text : {"${item.}", "${item..a}", "${.a}", "${item[]}", "${item[-1]}",
                                      "${item[x]}", "${item[1}", "${item[12345678901]}", "${1}",
                                      "${item.1}", "${\"item\"}", "${it\xC3\xA9m}", "${${item}}"}) {
    EXPECT_FALSE(fault_of(text).help.empty()) << text;
  }
  EXPECT_EQ(fault_of("${}").message, "an empty reference");
  EXPECT_EQ(fault_of("${  }").message, "an empty reference");
}

}  // namespace
}  // namespace pawl::workflow
