#include "ui/models/kernel_model.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "core/trial/vendor_result.h"
#include "ui/models/session_text.h"
#include "ui/style/icons.h"
#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

QString text_of(const std::string& text) { return QString::fromStdString(text); }

bool same_place(const session::LibraryKernel& first, const session::LibraryKernel& second) {
  return first.task.text == second.task.text && first.target_json == second.target_json;
}

bool is_kernel_number(int column) {
  return column == KernelModel::SpeedColumn || column == KernelModel::QuartilesColumn ||
         column == KernelModel::TimeColumn || column == KernelModel::VendorColumn;
}

double speed(const session::LibraryKernel& kernel, double seconds) {
  return seconds > 0 ? kernel.task.flops() / seconds / style::giga : 0;
}

/** Returns " (mean)", the statistic of the samples that the value is; empty for a median. */
QString kind_suffix(const session::LibraryKernel& kernel) {
  const std::string_view kind = trial::to_string(kernel.value.kind);
  if (kernel.value.kind == trial::ObjectiveKind::Median) return {};
  return QStringLiteral(" (%1)").arg(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())));
}

/** Returns the statistic and the samples; empty for a median, beside which the quartiles are shown. */
QString value_tip(const session::LibraryKernel& kernel) {
  if (kernel.value.kind == trial::ObjectiveKind::Median) return {};
  return text_of(analysis::objective_text(kernel.value.kind)) + QLatin1Char('\n') +
         text_of(analysis::samples_text(kernel.value.samples));
}

/**
 * Returns the quartiles as ascending numbers (the slower one first if they are speeds), in the unit of the
 * value beside them.
 */
QString quartiles_text(const session::LibraryKernel& kernel) {
  const analysis::Quartiles& samples = kernel.value.samples;
  if (samples.third <= samples.first) return style::no_number();  // a single sample has no spread
  const auto text = [&](double seconds) {
    return kernel.task.flops() > 0
               ? style::format_quantity(speed(kernel, seconds) * style::giga, QStringLiteral("FLOPS"))
               : style::format_quantity(seconds, QStringLiteral("s"));
  };
  const bool known = kernel.task.flops() > 0;
  const QString low = text(known ? samples.third : samples.first);
  const QString high = text(known ? samples.first : samples.third);
  const QString interval = QStringLiteral("%1 \u2013 %2").arg(low, high);
  return kernel.value.kind == trial::ObjectiveKind::Median ? interval
                                                           : KernelModel::tr("samples: %1").arg(interval);
}

QString target_text(const session::LibraryKernel& kernel) {
  const QString name = text_of(kernel.target_name);
  return kernel.device.empty() ? name : QStringLiteral("%1, %2").arg(name, text_of(kernel.device));
}

QString session_text(const session::LibraryKernel& kernel) {
  return KernelModel::tr("%1, trial %2")
      .arg(kernel.session_name.empty() ? KernelModel::tr("session %1").arg(kernel.session)
                                       : text_of(kernel.session_name))
      .arg(kernel.trial);
}

QString cell_text(const session::LibraryKernel& kernel, int column) {
  switch (column) {
    case KernelModel::TaskColumn:
      return text_of(kernel.title.empty() ? kernel.task.name : kernel.title);
    case KernelModel::TargetColumn:
      return target_text(kernel);
    case KernelModel::SpeedColumn:
      return kernel.task.flops() > 0 ? kernel_speed_text(kernel) : style::no_number();
    case KernelModel::QuartilesColumn:
      return quartiles_text(kernel);
    case KernelModel::TimeColumn:
      return style::format_quantity(kernel.value.seconds, QStringLiteral("s")) + kind_suffix(kernel);
    case KernelModel::VendorColumn:
      return kernel.share_of_vendor ? style::format_percent(*kernel.share_of_vendor) : style::no_number();
    case KernelModel::ConfirmedColumn:
      return kernel_state_text(kernel);
    case KernelModel::ConfigurationColumn:
      return text_of(kernel.configuration_text);
    case KernelModel::TemplateColumn:
      return kernel.project_hash.empty()
                 ? text_of(kernel.template_name)
                 : kernel_maker_text(kernel.task.name, kernel.project_hash, kernel.template_name, 0);
    case KernelModel::TunerColumn:
      return text_of(kernel.tuner);
    case KernelModel::SessionColumn:
      return session_text(kernel);
    case KernelModel::CreatedColumn:
      return created_text(kernel.created_utc);
    default:
      return {};
  }
}

QVariant sort_value(const session::LibraryKernel& kernel, int column) {
  switch (column) {
    case KernelModel::SpeedColumn:
    case KernelModel::QuartilesColumn:
      return speed(kernel, kernel.value.seconds);
    case KernelModel::TimeColumn:
      return kernel.value.seconds;
    case KernelModel::VendorColumn:
      return kernel.share_of_vendor.value_or(-1);
    case KernelModel::SessionColumn:
      return qlonglong{kernel.session};
    case KernelModel::CreatedColumn:
      return text_of(kernel.created_utc);
    default:
      return cell_text(kernel, column);
  }
}

/** Explains how reliable the number is. */
QString trust_tip(const session::LibraryKernel& kernel) {
  if (!kernel.measured_here()) return text_of(kernel.origin);
  return kernel.confirmed ? KernelModel::tr("remeasured at the end, interleaved with the vendor's library")
         : kernel.mark == "unconfirmed"
             ? KernelModel::tr("from the trial's first samples; remeasure the best trials to confirm it")
             : KernelModel::tr("%1; remeasure the best trials when the machine is quiet")
                   .arg(text_of(kernel.mark));
}

QString tool_tip(const session::LibraryKernel& kernel, int column) {
  switch (column) {
    case KernelModel::TaskColumn:
      return text_of(kernel.task.text);
    case KernelModel::SpeedColumn:
    case KernelModel::QuartilesColumn:
    case KernelModel::TimeColumn:
      return value_tip(kernel);
    case KernelModel::VendorColumn:
      return kernel.share_of_vendor
                 ? KernelModel::tr("speed as a share of the speed of %1, measured interleaved with it")
                       .arg(text_of(trial::vendor_title(kernel.vendor_name, kernel.vendor_algorithm)))
             : !kernel.vendor_withheld.empty()
                 ? text_of(kernel.vendor_withheld)
                 : KernelModel::tr("the session has no measurement of a vendor's library");
    case KernelModel::ConfirmedColumn:
      return kernel.disturbances.empty()
                 ? trust_tip(kernel)
                 : trust_tip(kernel) + QLatin1Char('\n') + kernel_disturbance_text(kernel);
    case KernelModel::SessionColumn:
      return kernel_provenance_text(kernel);
    default:
      return cell_text(kernel, column);
  }
}

}  // namespace

QString kernel_speed_text(const session::LibraryKernel& kernel) {
  return (kernel.task.flops() > 0
              ? style::format_quantity(kernel.task.flops() / kernel.value.seconds, QStringLiteral("FLOPS"))
              : style::format_quantity(kernel.value.seconds, QStringLiteral("s"))) +
         kind_suffix(kernel);
}

QString kernel_state_text(const session::LibraryKernel& kernel) {
  if (!kernel.measured_here()) return KernelModel::tr("not measured here");
  return text_of(kernel.mark);
}

QString kernel_claim_text(const session::LibraryKernel& kernel) {
  if (!kernel.claimed) return {};
  const session::ClaimedKernel& claimed = *kernel.claimed;
  return KernelModel::tr("Trial %1 of session %2 claims to be %3\u00d7 faster: %4.")
      .arg(claimed.trial)
      .arg(claimed.session)
      .arg(style::format_number(claimed.times_faster, 3), text_of(claimed.origin));
}

QString kernel_disturbance_text(const session::LibraryKernel& kernel) {
  QStringList lines;
  for (const std::string& text : kernel.disturbances)
    lines << KernelModel::tr("During tuning: %1").arg(text_of(text).simplified());
  return lines.join(QLatin1Char('\n'));
}

QString kernel_provenance_text(const session::LibraryKernel& kernel) {
  return KernelModel::tr("session %1, trial %2, %3 with seed %4")
      .arg(kernel.session)
      .arg(kernel.trial)
      .arg(text_of(kernel.tuner))
      .arg(kernel.seed);
}

void KernelModel::set_kernels(std::vector<session::LibraryKernel> kernels) {
  for (int row = rowCount() - 1; row >= 0; --row) {
    const session::LibraryKernel& old = kernel(row);
    if (std::ranges::any_of(kernels, [&](const session::LibraryKernel& now) { return same_place(now, old); }))
      continue;
    beginRemoveRows({}, row, row);
    kernels_.erase(kernels_.begin() + row);
    endRemoveRows();
  }
  for (session::LibraryKernel& now : kernels) {
    const auto known = std::ranges::find_if(
        kernels_, [&](const session::LibraryKernel& old) { return same_place(now, old); });
    if (known == kernels_.end()) {
      beginInsertRows({}, rowCount(), rowCount());
      kernels_.push_back(std::move(now));
      endInsertRows();
    } else {
      const int row = static_cast<int>(known - kernels_.begin());
      *known = std::move(now);
      emit dataChanged(index(row, 0), index(row, column_count - 1));
    }
  }
}

int KernelModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kernels_.size());
}

int KernelModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant KernelModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || index.column() >= column_count) return {};
  const session::LibraryKernel& shown = kernel(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return cell_text(shown, index.column());
    case Qt::DecorationRole:
      return index.column() == ConfirmedColumn && !shown.disturbances.empty()
                 ? style::icon(QStringLiteral("warning"))
                 : QVariant();
    case Qt::ToolTipRole:
      return tool_tip(shown, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter) |
             static_cast<int>(is_kernel_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft);
    case SortRole:
      return sort_value(shown, index.column());
    case SearchRole: {
      QStringList words{text_of(shown.task.text)};
      for (int column = 0; column < column_count; ++column) words.append(cell_text(shown, column));
      return words.join(QLatin1Char(' '));
    }
    default:
      return {};
  }
}

QVariant KernelModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter) |
           static_cast<int>(is_kernel_number(section) ? Qt::AlignRight : Qt::AlignLeft);
  if (role != Qt::DisplayRole) return {};
  const std::array<QString, column_count> titles = {
      tr("Task"),  tr("Target"),        tr("Speed"),    tr("Quartiles"), tr("Time per call"), tr("Of vendor"),
      tr("State"), tr("Configuration"), tr("Template"), tr("Tuner"),     tr("From"),          tr("Created")};
  return titles[static_cast<std::size_t>(section)];
}

}  // namespace kernelscape::models
