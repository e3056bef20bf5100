// A list of structs as one list of numbers in a checkpoint. Each struct names its own: numbers() gives them in order,
// restore() takes them back.
#pragma once

#include <vector>

#include <livens/integrator.hpp>

namespace livens {

template <class Item>
void visit_list(MemoryVisitor& visitor, const char* name, std::vector<Item>& items) {
  constexpr std::size_t each = std::tuple_size_v<decltype(Item().numbers())>;
  std::vector<double> numbers;
  numbers.reserve(items.size() * each);
  for (const Item& item : items)
    for (const double number : item.numbers()) numbers.push_back(number);
  visitor.visit(name, numbers);
  for (std::size_t k = 0; k < items.size(); ++k) items[k].restore(numbers.data() + k * each);
}

}  // namespace livens
