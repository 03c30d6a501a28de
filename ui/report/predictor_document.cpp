#include "ui/figures/predictor_figures.h"
#include "ui/models/predictor_text.h"
#include "ui/models/task_outcome_model.h"
#include "ui/report/report.h"
#include "ui/report/reported_session.h"

namespace kernelscape::report {
namespace {

QString shown_text(const models::TaskOutcomeModel& model, int row, int column) {
  return printable_text(model.data(model.index(row, column)).toString());
}

/** Returns the table of outcomes with the columns of the window's table. */
Table outcome_table(const figures::ShownPredictors& predictors) {
  models::TaskOutcomeModel model;
  model.set_predictors(predictors.predictors);
  Table table;
  table.caption = QStringLiteral("Held-out tasks");
  for (int column = 0; column < model.columnCount(); ++column)
    table.columns.push_back(
        {printable_text(model.headerData(column, Qt::Horizontal).toString()), column > 0});
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column) texts.append(shown_text(model, row, column));
    table.rows.push_back(std::move(texts));
  }
  return table;
}

}  // namespace

Document predictors_report_document(const std::shared_ptr<const figures::ShownPredictors>& predictors) {
  QStringList titles;
  for (const study::KnownPredictor& predictor : predictors->predictors)
    titles.append(printable_text(models::predictor_title(predictor)));
  Document document{
      titles.join(QStringLiteral(" and ")),
      QStringLiteral("template %1").arg(report_string(predictors->predictors.front().template_name)),
      {}};
  append_figures(document.blocks, QStringLiteral("Training and accuracy"), figures::ReportPart::Predictor,
                 {.predictors = predictors}, figures::uncontrolled_job());
  if (Table table = outcome_table(*predictors); !table.rows.empty())
    document.blocks.emplace_back(std::move(table));
  for (const study::KnownPredictor& predictor : predictors->predictors) {
    document.blocks.emplace_back(Heading{2, printable_text(models::predictor_title(predictor))});
    Facts facts;
    for (const auto& [name, value] : models::predictor_facts(predictor))
      facts.facts.emplace_back(name, printable_text(value));
    document.blocks.emplace_back(std::move(facts));
  }
  return document;
}

}  // namespace kernelscape::report
