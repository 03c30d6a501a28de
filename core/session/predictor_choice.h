#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/predictor/predictor.h"
#include "core/store/store.h"

namespace kernelscape {

/** What a predictor has to fit. */
struct PredictorUse {
  std::string template_name;
  int template_version = 0;
  TargetDescription target;
};

/**
 * The predictor that is meant, trained and fitting: by its name, its number in the database, its hash or its
 * predictor_text(); of several with a name the newest that fits. Empty: the newest of the database that fits,
 * else a shipped one. A predictor_text() is found by its hash alone, as a session that goes on needs the very
 * one that it was made with.
 *
 * NotFound where there is none, Refused where the one that is named does not fit; both say how to make one.
 */
Result<std::shared_ptr<const Predictor>> choose_predictor(const Store& store, std::string_view wanted,
                                                          const PredictorUse& use);

/** What to tell of a predictor whose samples ran on another device of the same ISA; else empty. */
std::string predictor_notice(const Predictor& predictor, const TargetDescription& target);

}  // namespace kernelscape
