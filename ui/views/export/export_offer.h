#pragma once

#include <QCoreApplication>
#include <optional>
#include <vector>

#include "ui/views/export/export_plan.h"
#include "ui/workspace/workspace.h"

namespace kernelscape::views {

/**
 * What the dialog of exports offers: results of the current source, kernels of the Library, and the kernels
 * and the model of a network.
 */
class ExportOffer {
  Q_DECLARE_TR_FUNCTIONS(kernelscape::views::ExportDialog)

 public:
  /** Whether a kind of export is available. */
  struct Choice {
    bool available = false;
    QString explanation = {};  ///< what would be written, or why nothing can be
  };

  /** @param workspace has the current source; it outlives this object */
  explicit ExportOffer(const workspace::Workspace& workspace) : workspace_(workspace) {}

  /** Offers these kernels as one library. */
  void set_kernels(std::vector<KernelChoice> kernels) { kernels_ = std::move(kernels); }
  /** Offers a network in place of the kernels. */
  void set_network(const ExportedNetwork& network) { network_ = network; }
  const std::optional<ExportedNetwork>& network() const { return network_; }  ///< as set

  /** Returns whether a kind of export is available, and why. */
  Choice choice(ExportKind kind) const;
  /** Returns where the results come from; kernels of the library are from other sessions than the open one.
   */
  QString origin(ExportKind kind) const;
  /** Returns the name of the file or folder to suggest. @param library name of a library of kernels */
  QString file_name(ExportKind kind, const QString& library) const;
  /**
   * Returns the export without its path and the name of its library; nullopt: there is nothing to export. The
   * vendor's kernels are not used.
   */
  std::optional<ExportPlan> plan(ExportKind kind) const;

 private:
  QString missing_source() const;
  Choice best_choice() const;
  Choice trial_choice() const;
  Choice kernel_of(Choice configuration, bool has_kernel) const;
  Choice trials_choice() const;
  Choice shown_trials_choice() const;
  Choice library_choice() const;
  Choice model_choice() const;
  trial::Row current_trial() const;

  const workspace::Workspace& workspace_;
  std::vector<KernelChoice> kernels_;
  std::optional<ExportedNetwork> network_;  ///< exported in place of `kernels_`
};

}  // namespace kernelscape::views
