#pragma once

#include <QWidget>
#include <vector>

namespace kernelscape::frame {

class InformationBar;

/**
 * Places information bars over the bottom of a widget. A bar that appears or disappears moves neither the
 * content of the widget nor another bar, so that a click always hits what the user sees under the pointer.
 */
class NoticeArea : public QObject {
  Q_OBJECT

 public:
  /** @param covered the widget that the bars cover; it owns the area */
  explicit NoticeArea(QWidget* covered);

  /** Adds a child of the covered widget. It is placed each time that it is shown. */
  void add(InformationBar& bar);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place_all();
  void place(InformationBar& bar, int bottom);
  void grow(InformationBar& bar);
  int free_bottom(const InformationBar& bar) const;

  QWidget* covered_;
  std::vector<InformationBar*> bars_;
};

}  // namespace kernelscape::frame
