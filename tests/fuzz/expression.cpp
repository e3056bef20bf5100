// Expressions: parsed, differentiated, evaluated.
#include "fuzz/fuzz.hpp"
#include "math/expressions.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const Expression expression = expressions::parse(fuzz::text_of(bytes, size));
    expression.evaluate(expressions::point);
    expressions::parse(expression.text());
  } catch (const ExpressionError&) {}
  return 0;
}
