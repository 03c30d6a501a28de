#pragma once

#include <QTest>
#include <vector>

#include "core/surrogate/network/network.h"

namespace kernelscape {

/** A small network of the kind with sizes that divide nothing but what they must. Norms of two or three
 * numbers would make much of what is rounded. */
inline surrogate::NetworkShape random_network_shape(surrogate::NetworkKind kind, base::Random& random) {
  surrogate::NetworkShape shape{.kind = kind};
  if (kind == surrogate::NetworkKind::Tokens) {
    shape.tokens = {1 + random.below(5), 1 + random.below(4), 1 + random.below(4), 1 + random.below(4)};
    shape.columns = shape.tokens.columns();
    shape.heads = 1 + random.below(3);
    shape.width = shape.heads * (4 + random.below(7));
  } else {
    shape.columns = 5 + random.below(6);
    shape.width = kind == surrogate::NetworkKind::OneShot ? shape.columns : 1 + random.below(12);
  }
  if (kind == surrogate::NetworkKind::OneShot) {
    shape.heads = random.below(4);  // none: attention has no dropout
    while (shape.heads > 0 && shape.width % shape.heads != 0) --shape.heads;
  }
  if (kind != surrogate::NetworkKind::Perceptron) shape.layers = 1 + random.below(3);
  if (kind == surrogate::NetworkKind::Tokens || kind == surrogate::NetworkKind::OneShot)
    shape.feed_forward = 1 + random.below(9);
  return shape;
}

/** Standard normal numbers; where rows are tokens, with random counts of loops. */
inline std::vector<float> random_network_rows(const surrogate::NetworkShape& shape, std::size_t count,
                                              base::Random& random) {
  std::vector<float> rows(count * shape.columns);
  for (float& number : rows) number = static_cast<float>(random.normal());
  for (std::size_t i = 0; shape.kind == surrogate::NetworkKind::Tokens && i < count; ++i)
    rows[i * shape.columns] = static_cast<float>(1 + random.below(shape.tokens.loops));
  return rows;
}

/** As make() draws one, but no parameter has a value of its own by being a scale or a shift. */
inline surrogate::NeuralNetwork random_network(const surrogate::NetworkShape& shape, base::Random& random) {
  surrogate::NeuralNetwork network = *surrogate::NeuralNetwork::make(shape, base::Random(random.bits()));
  for (float& parameter : network.parameters()) parameter += static_cast<float>(0.1 * random.normal());
  return network;
}

/** One row of data for each kind of network. */
inline void add_network_kinds() {
  QTest::addColumn<surrogate::NetworkKind>("kind");
  QTest::addRow("tokens") << surrogate::NetworkKind::Tokens;
  QTest::addRow("one-shot") << surrogate::NetworkKind::OneShot;
  QTest::addRow("perceptron") << surrogate::NetworkKind::Perceptron;
  QTest::addRow("lstm") << surrogate::NetworkKind::Lstm;
}

}  // namespace kernelscape
