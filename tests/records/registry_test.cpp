// Registries: look-up, suggestions, and records of a user's own.
#include <gtest/gtest.h>

#include <livens/records.hpp>

namespace livens {
namespace {

struct Fruit : Record {
  int seeds = 0;
};

Fruit fruit(const std::string& name, int seeds) {
  Fruit made;
  made.name = name;
  made.seeds = seeds;
  return made;
}

void add_colour(Fruit& record) {
  record.parameters.push_back(key("colour", ValueType::text, "-", "red", "of its skin"));
}

TEST(Registry, FindsRecordsAndSuggestsNames) {
  Registry<Fruit> fruits("fruit", {fruit("apple", 5), fruit("cherry", 1)});
  EXPECT_EQ(fruits.size(), 2u);
  EXPECT_EQ(fruits.at("cherry").seeds, 1);
  EXPECT_EQ(fruits.find("plum"), nullptr);
  try {
    fruits.at("chery");
    FAIL() << "an unknown name is found";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "no fruit 'chery'. Did you mean 'cherry'?");
  }
}

TEST(Registry, TakesRecordsOfAUsersOwn) {
  Registry<Fruit> fruits("fruit", {fruit("apple", 5)}, add_colour);
  const Fruit* apple = fruits.find("apple");
  for (int k = 0; k < 100; ++k) fruits.add(fruit("kind " + std::to_string(k), k));
  EXPECT_EQ(fruits.find("apple"), apple) << "records stay where they are";
  EXPECT_EQ(fruits.at("kind 7").parameters.at(0).key, "colour") << "what all share is added";
  EXPECT_EQ(fruits.names().back(), "kind 99");
  EXPECT_THROW(fruits.add(fruit("apple", 4)), std::invalid_argument);
  EXPECT_THROW(fruits.add(fruit("", 4)), std::invalid_argument);
  EXPECT_EQ(fruits.at("apple").seeds, 5);
}

}  // namespace
}  // namespace livens
