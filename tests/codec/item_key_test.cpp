#include "pawl/codec/item_key.hpp"

#include <string>

#include <gtest/gtest.h>

#include "codec/arbitrary.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {
namespace {

Json json(std::string_view text) { return parse_json(text).value(); }

TEST(Digest, is_that_of_the_standard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, of_pieces_is_that_of_the_whole_and_starts_afresh_after_finishing) {
  Sha256 digest;
  EXPECT_EQ(digest.update("a").update("").update("bc").finish_hex(), sha256_hex("abc"));
  EXPECT_EQ(digest.finish_hex(), sha256_hex(""));
  Sha256 moved = std::move(digest.update("ab"));
  EXPECT_EQ(moved.update("c").finish_hex(), sha256_hex("abc"));
}

TEST(ItemKey, the_configured_path_wins) {
  const Json data = json(R"({"id":"a","doc":{"path":"x.pdf","pages":[{"no":3}]}})");
  EXPECT_EQ(item_key(data, "doc.path"), "x.pdf");
  EXPECT_EQ(item_key(data, "doc.pages[0].no"), "3");
  EXPECT_EQ(item_key(data), "a");
}

TEST(ItemKey, a_path_that_leads_nowhere_falls_back_to_the_other_rules) {
  const Json data = json(R"({"id":"a","empty":"","none":null,"deep":{"x":1}})");
  for (const char* path : {"missing", "empty", "none", "deep"}) {
    EXPECT_EQ(item_key(data, path), "a") << path;
  }
}

// Items without an id have keys that do not depend on where or how they are written.
TEST(ItemKey, without_an_id_it_is_the_digest_of_what_the_item_says) {
  const std::string key = item_key(json(R"({"x":1,"y":[true,2.0]})"));
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(item_key(json(R"({ "y" : [true, 2], "x" : 1.0 })")), key);
  EXPECT_NE(item_key(json(R"({"x":1,"y":[2,true]})")), key);
}

TEST(ItemKey, a_scalar_is_its_own_key) {
  EXPECT_EQ(item_key(Json("ada")), "ada");
  EXPECT_EQ(item_key(Json(7)), "7");
  EXPECT_EQ(item_key(json("7.0")), "7");
  EXPECT_EQ(item_key(Json(true)), "true");
}

TEST(ItemKey, id_goes_before_item_id_before_underscore_id) {
  EXPECT_EQ(item_key(json(R"({"_id":"c","item_id":"b","id":"a"})")), "a");
  EXPECT_EQ(item_key(json(R"({"_id":"c","item_id":41})")), "41");
  EXPECT_EQ(item_key(json(R"({"_id":"c"})")), "c");
  EXPECT_EQ(item_key(json(R"({"id":null,"item_id":"","_id":"c"})")), "c");
  EXPECT_EQ(item_key(json(R"({"id":{"x":1},"_id":"c"})")), "c");
  EXPECT_EQ(item_key(json(R"({"id":true})")).size(), 64U);
}

TEST(ItemKey, is_never_empty) {
  EXPECT_EQ(item_key(Json("")).size(), 64U);
  EXPECT_EQ(item_key(Json()).size(), 64U);
  arbitrary::check(300, [] { RC_ASSERT(!item_key(*arbitrary::json(), "a").empty()); });
}

}  // namespace
}  // namespace pawl
