#include "codec/well_formed.hpp"

#include <string>

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"

namespace pawl::codec {
namespace {

TEST(WellFormed, takes_whatever_was_stored_once) {
  for (const std::string& text :
       {std::string("null"), std::string("true"), std::string("false"), std::string("0"),
        std::string("-12.5e+3"), std::string("1E9"), std::string(R"("")"),
        std::string(R"("a\"\\\/\b\f\n\r\t\u00e9")"), std::string("\"\xc3\xa9\xf0\x9f\x98\x80\""),
        std::string("[]"), std::string("{}"), std::string(" [ 1 , { \"a\" : [ ] } ] \n"),
        // Values that C++ code may create: a duplicate key, and deeper nesting than is allowed from
        // outside.
        std::string(R"({"a":1,"a":2})"), std::string(10'000, '[') + std::string(10'000, ']')}) {
    EXPECT_TRUE(is_well_formed_json(text)) << text.substr(0, 40);
  }
}

TEST(WellFormed, refuses_what_is_no_json) {
  for (const std::string& text : {std::string(),
                                  std::string(" "),
                                  std::string("nul"),
                                  std::string("nulll"),
                                  std::string("01"),
                                  std::string("1."),
                                  std::string("-"),
                                  std::string("1e"),
                                  std::string("+1"),
                                  std::string("\""),
                                  std::string("\"a"),
                                  std::string("\"\\x\""),
                                  std::string("\"\\u12g4\""),
                                  std::string("\"\x01\""),
                                  std::string("\"\xc3\""),
                                  std::string("\"\xc0\x80\""),
                                  std::string("\"\xed\xa0\x80\""),
                                  std::string("\"\xf4\x90\x80\x80\""),
                                  std::string("\"\xff\""),
                                  std::string("["),
                                  std::string("[1"),
                                  std::string("[1,"),
                                  std::string("[1,]"),
                                  std::string("[1 2]"),
                                  std::string("]"),
                                  std::string("{"),
                                  std::string("{1:2}"),
                                  std::string("{\"a\"}"),
                                  std::string("{\"a\":}"),
                                  std::string("{\"a\":1,}"),
                                  std::string("{\"a\":1]"),
                                  std::string("1 2"),
                                  std::string("{}x"),
                                  std::string("null\0", 5),
                                  std::string("[\0]", 3)}) {
    EXPECT_FALSE(is_well_formed_json(text)) << text;
  }
}

/// Every text that the strict parser accepts is accepted. A text with one changed byte is accepted
/// only if the parser accepts it (the grammar is the same, and the parser's limits do not matter
/// here).
TEST(WellFormed, agrees_with_the_parser_about_every_change_of_one_byte) {
  const std::string whole = R"({"id":"a\u0041\n","list":[1,-2.5e3,true,null,{}],"é":""})";
  ASSERT_TRUE(is_well_formed_json(whole));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[place] = static_cast<char>(byte);
      const Result<Json> parsed = parse_json(changed);
      if (parsed) {
        EXPECT_TRUE(is_well_formed_json(changed)) << changed;
      } else if (is_well_formed_json(changed)) {
        // Only reasons beyond the grammar.
        const std::string& why = parsed.error().message;
        EXPECT_TRUE(why.find("twice") != std::string::npos ||
                    why.find("range") != std::string::npos ||
                    why.find("surrogate") != std::string::npos)
            << changed << ": " << why;
      }
    }
  }
}

}  // namespace
}  // namespace pawl::codec
