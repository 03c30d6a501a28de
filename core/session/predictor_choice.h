#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/predictor/predictor.h"
#include "core/session/session.h"

namespace kernelscape::session {

/** Template and target that a predictor has to fit. */
struct PredictorUse {
  std::string template_name;
  int template_version = 0;
  schedule::TargetDescription target;
};

/**
 * Returns the trained and fitting predictor that `wanted` names: by its predictor_text() or hash, by its
 * number in the database, or by its name, which means the newest fitting one in the database, else a built-in
 * one. If `wanted` is empty, returns the newest of all. A predictor_text() is looked up by its hash alone,
 * since a resumed session needs exactly the predictor that it was created with.
 *
 * Errors: NotFound if there is none, Refused if the named predictor does not fit or is not trained yet; both
 * say how to make one.
 */
Result<std::shared_ptr<const predictor::Predictor>> choose_predictor(const store::Store& store,
                                                                     std::string_view wanted,
                                                                     const PredictorUse& use);

/**
 * Returns the chosen predictor bound to a template's kernels, with their limits. Errors: as
 * choose_predictor().
 */
Result<Predictor> predictor_of_kernels(const store::Store& store, std::string_view wanted,
                                       const schedule::ScheduledKernel& kernel);

/** Returns a notice if a predictor's samples ran on another device of the same ISA; else an empty text. */
std::string predictor_notice(const predictor::Predictor& predictor,
                             const schedule::TargetDescription& target);

}  // namespace kernelscape::session
