#include "ui/frame/view_registry.h"

#include <QLabel>

#include "ui/views/library/library_view.h"
#include "ui/views/tune/tune_view.h"

namespace kernelscape {
namespace {

class EmptyView : public View {
 public:
  EmptyView(ViewContext context, const QString& name, const QString& icon_name)
      : View(context, name, icon_name, 1) {
    setCentralWidget(new QLabel(name, this));
    remember_default_layout();
  }
};

}  // namespace

const std::vector<ViewRegistration>& view_registrations() {
  static const std::vector<ViewRegistration> registrations = {
      {QStringLiteral("Tune"), QStringLiteral("tune"),
       [](ViewContext context) -> View* { return new TuneView(context); }},
      {QStringLiteral("Explore"), QStringLiteral("explore"),
       [](ViewContext context) -> View* {
         return new EmptyView(context, QStringLiteral("Explore"), QStringLiteral("explore"));
       }},
      {QStringLiteral("Library"), QStringLiteral("library"),
       [](ViewContext context) -> View* { return new LibraryView(context); }},
  };
  return registrations;
}

bool fill_request(View& view, const TuningRequest& request) {
  auto* tune = qobject_cast<TuneView*>(&view);
  if (tune != nullptr) tune->prepare_run(request);
  return tune != nullptr;
}

}  // namespace kernelscape
