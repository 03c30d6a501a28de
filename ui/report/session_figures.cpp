#include <algorithm>
#include <iterator>

#include "ui/figures/knob_statistics.h"
#include "ui/report/reported_session.h"

namespace kernelscape::report {
namespace {

constexpr std::int64_t fewest_to_learn_from = 50;

}  // namespace

bool append_figures(Blocks& blocks, const QString& heading, figures::ReportPart part,
                    const figures::Source& source, const workspace::JobControl& control) {
  Blocks figures;
  for (const figures::Kind& kind : figures::figure_kinds()) {
    if (kind.part != part) continue;
    for (figures::Figure& figure : kind.figures(source, control))
      if (figure.text.notice.isEmpty() && figure.group.isEmpty()) figures.emplace_back(std::move(figure));
  }
  if (figures.empty()) return false;
  if (!heading.isEmpty()) blocks.emplace_back(Heading{2, heading});
  std::ranges::move(figures, std::back_inserter(blocks));
  return true;
}

void append_space_charts(Blocks& blocks, figures::Source source, const workspace::JobControl& control) {
  const figures::ShownTrials& shown = *source.shown;
  if (shown.valid == 0) return;
  if (shown.stands_for_space())
    append_figures(blocks, QStringLiteral("Properties of the space"), figures::ReportPart::Space, source,
                   control);
  if (shown.valid < fewest_to_learn_from) return;
  blocks.emplace_back(Heading{2, QStringLiteral("Effects of the knobs")});
  if (!shown.stands_for_space())
    blocks.emplace_back(Paragraph{
        QStringLiteral("Based on trials that the tuner chose: not representative of the whole space."),
        Tone::Notice});
  source.importance = std::make_shared<const figures::FigureOf<charts::ImportanceData>>(
      figures::importance_of(shown, false, control));
  if (const QString& notice = source.importance->text.notice; !notice.isEmpty())
    blocks.emplace_back(Paragraph{notice, Tone::Muted});
  append_figures(blocks, {}, figures::ReportPart::Knobs, source, control);
  blocks.emplace_back(
      Paragraph{QStringLiteral("Boxes are quartiles, whiskers extend to the minimum and the maximum; n "
                               "and the share of valid trials are below. Fewer than five valid trials "
                               "are points. For a tiled loop only the innermost factor is shown."),
                Tone::Muted});
}

}  // namespace kernelscape::report
