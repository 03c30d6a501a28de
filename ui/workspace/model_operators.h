#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/study/study.h"
#include "ui/workspace/jobs.h"

namespace kernelscape::workspace {

/** A node of a model's graph after its passes: what a library of the model computes in one go. */
struct ModelOperator {
  QString name;
  QString operation;   ///< "Conv"
  QString result;      ///< types and shapes of its results: "f32 1x64x56x56"
  QString epilogue;    ///< steps that are applied to each element of the result: "+bias+relu"; may be empty
  QStringList nodes;   ///< nodes of the model that it computes, in the model's order: "conv1 (Conv)"
  std::string task{};  ///< text of the task of a layer; empty: the operator is no layer
  QString obstacle{};  ///< why a library of the model cannot compute it; empty: it can
};

/** The properties of a model's file that show whether it changed. */
struct ModelStamp {
  bool exists = false;
  QDateTime changed{};
  qint64 byte_count = 0;

  bool operator==(const ModelStamp&) const = default;
};

/** The operators of a model. */
struct ModelOperators {
  std::vector<ModelOperator> operators;  ///< in the order in which they are computed
  std::size_t model_nodes = 0;           ///< number of nodes of the model that its outputs depend on
  QStringList notices{};                 ///< of the model's reader
};

/** Looks at a model's file; for background jobs. */
ModelStamp stamp_of(const study::ModelSource& model);

/**
 * Reads the graph of a model in a worker process and runs its passes, for background jobs. Errors are those
 * of network::open_graph() and graph::optimise().
 */
Result<ModelOperators> read_model_operators(const study::ModelSource& model, const JobControl& control);

}  // namespace kernelscape::workspace
