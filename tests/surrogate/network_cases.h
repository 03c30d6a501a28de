#pragma once

#include <QTest>
#include <vector>

#include "core/surrogate/network/network.h"

namespace kernelscape {

/** A small network of the kind with sizes that divide nothing but what they must. Norms of two or three
 * numbers would make much of what is rounded. */
inline NetworkShape random_network_shape(NetworkKind kind, Random& random) {
  NetworkShape shape{.kind = kind};
  if (kind == NetworkKind::Tokens) {
    shape.tokens = {1 + random.below(5), 1 + random.below(4), 1 + random.below(4), 1 + random.below(4)};
    shape.columns = shape.tokens.columns();
    shape.heads = 1 + random.below(3);
    shape.width = shape.heads * (4 + random.below(7));
  } else {
    shape.columns = 5 + random.below(6);
    shape.width = kind == NetworkKind::OneShot ? shape.columns : 1 + random.below(12);
  }
  if (kind != NetworkKind::Perceptron) {
    shape.layers = 1 + random.below(3);
    shape.feed_forward = 1 + random.below(9);
  }
  return shape;
}

/** Standard normal numbers; where rows are tokens, with random counts of loops. */
inline std::vector<float> random_network_rows(const NetworkShape& shape, std::size_t count, Random& random) {
  std::vector<float> rows(count * shape.columns);
  for (float& number : rows) number = static_cast<float>(random.normal());
  for (std::size_t i = 0; shape.kind == NetworkKind::Tokens && i < count; ++i)
    rows[i * shape.columns] = static_cast<float>(1 + random.below(shape.tokens.loops));
  return rows;
}

/** As make() draws one, but no parameter has a value of its own by being a scale or a shift. */
inline NeuralNetwork random_network(const NetworkShape& shape, Random& random) {
  NeuralNetwork network = *NeuralNetwork::make(shape, Random(random.bits()));
  for (float& parameter : network.parameters()) parameter += static_cast<float>(0.1 * random.normal());
  return network;
}

/** One row of data for each kind of network. */
inline void add_network_kinds() {
  QTest::addColumn<NetworkKind>("kind");
  QTest::addRow("tokens") << NetworkKind::Tokens;
  QTest::addRow("one-shot") << NetworkKind::OneShot;
  QTest::addRow("perceptron") << NetworkKind::Perceptron;
}

}  // namespace kernelscape
