#pragma once

#include <span>
#include <vector>

#include "core/store/store.h"
#include "ui/figures/source.h"
#include "ui/report/document.h"

namespace kernelscape::report {

/**
 * Reports a session: its main result, settings, progress, failures, and how to reproduce it; for a recorded
 * space (or a sweep, or a random sample) also the properties of the space.
 *
 * Reads all trials and computes importance: up to some seconds for a million trials, so the window must call
 * it in a background job. For the rendering of the document see writers.h.
 */
Result<Document> session_report_document(const store::Store& store, store::SessionId id,
                                         const workspace::JobControl& control = figures::uncontrolled_job());

/**
 * Reports the state of a session that may still run: its best result, progress, the machine's speed,
 * failures, the time breakdown, and the fastest trials with their configurations. Leaves out what only an
 * ended session needs: settings, the figures of the space, and how to reproduce it. To be called in a
 * background job.
 * @param database of the session; holds the messages of failed trials
 */
Result<Document> live_session_document(const workspace::Source& source, const std::filesystem::path& database,
                                       const workspace::JobControl& control);

/**
 * Reports several sessions, beginning with a table of all of them. A session that can't be read is named
 * there, and does not prevent the report of the others; an error is returned if none can be read.
 * @param left_out sessions whose number can't be read either; together with `ids` at least one
 */
Result<Document> sessions_report_document(const store::Store& store, std::span<const store::SessionId> ids,
                                          const workspace::JobControl& control = figures::uncontrolled_job(),
                                          std::vector<Error> left_out = {});

/**
 * Reports the speed of a network layer by layer, its progress during tuning, the layers and operators that
 * were left out, and the settings. Errors: InvalidArgument if the study has another purpose. To be called in
 * a background job.
 */
Result<Document> network_report_document(const store::Store& store, store::StudyId id,
                                         const workspace::JobControl& control = figures::uncontrolled_job());

/**
 * Reports a study: its question, its method and its results; for a network, calls network_report_document().
 * To be called in a background job.
 */
Result<Document> study_report_document(const store::Store& store, store::StudyId id,
                                       const workspace::JobControl& control = figures::uncontrolled_job());

/** Reports the scaling of a simulated fleet, and its limits. May be called from any thread. */
Document fleet_report_document(const std::shared_ptr<const simulation::FleetScaling>& scaling);

/**
 * Reports the training, the accuracy and the provenance of a predictor, or of two side by side. May be called
 * from any thread.
 */
Document predictors_report_document(const std::shared_ptr<const figures::ShownPredictors>& predictors);

}  // namespace kernelscape::report
