// The public headers, and what copies the values of scenes: compiles without a word.
#include <livens/livens.hpp>

livens::Node copy(const livens::Node& node) {
  livens::Node made = node;
  made.entries.emplace_back("again", node);
  made.items.push_back(node);
  return made;
}

livens::Scene copy(const livens::Scene& scene) { return scene; }

livens::Settings copy(const livens::Settings& settings) { return settings; }
