#pragma once

#include <span>
#include <vector>

#include "core/store/store.h"
#include "ui/figures/figure_source.h"
#include "ui/report/report_document.h"

namespace kernelscape {

/**
 * What a session is: its answer, what it was made from, how it went, what failed, and how to do it again; of
 * a recorded space (or a sweep, or a random sample) what it says of the space.
 *
 * Reads all trials and computes importance: up to some seconds for a million trials, so let the window do it
 * in a background job. Drawing it is another matter, see report_writers.h.
 */
Result<ReportDocument> session_report_document(const Store& store, SessionId id,
                                               const JobControl& control = uncontrolled_job());

/**
 * Several sessions, a table of all of them first. One that can't be read is named there and hides no other;
 * an error where none can be read.
 * @param left_out sessions of which not even the number could be read; with `ids` at least one
 */
Result<ReportDocument> sessions_report_document(const Store& store, std::span<const SessionId> ids,
                                                const JobControl& control = uncontrolled_job(),
                                                std::vector<Error> left_out = {});

/** How fast a network is, layer by layer, how it became so, what was left out, and how it was tuned.
 * InvalidArgument where the study is for another purpose. In the background as well. */
Result<ReportDocument> network_report_document(const Store& store, StudyId id,
                                               const JobControl& control = uncontrolled_job());

/** What a study asked, how it was done, and what came out; of a network network_report_document(). In the
 * background as well. */
Result<ReportDocument> study_report_document(const Store& store, StudyId id,
                                             const JobControl& control = uncontrolled_job());

/** How a fleet scales that was simulated, and where it ends. Any thread. */
ReportDocument fleet_report_document(const std::shared_ptr<const FleetScaling>& scaling);

/** How a predictor learnt, what it is worth and where it comes from; two are beside each other. Any thread.
 */
ReportDocument predictors_report_document(const std::shared_ptr<const ShownPredictors>& predictors);

}  // namespace kernelscape
