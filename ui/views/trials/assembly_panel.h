#pragma once

#include <memory>

#include "ui/views/trials/code_panel.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/trial_details.h"

namespace kernelscape {

/** A trial's kernel as the target's compiler translates it. Compiled when somebody looks at it. */
class AssemblyPanel : public CodePanel {
  Q_OBJECT

 public:
  explicit AssemblyPanel(QWidget* parent = nullptr);

  /** Gives up the trial before; compiles in the background now, or when the panel is shown. */
  void set_trial(const Source& source, const std::shared_ptr<const TrialDetails>& details);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void compile();

  Source source_;
  std::shared_ptr<const TrialDetails> details_;
  bool done_ = true;  ///< or under way
  JobTracker job_;
};

}  // namespace kernelscape
