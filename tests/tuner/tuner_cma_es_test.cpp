#include <cmath>

#include "core/tuner/covariance_adaptation.h"
#include "tests/test_program.h"
#include "tests/tuner/tuner_fixture.h"

namespace kernelscape::tuner_cma_es_test {
using namespace kernelscape::tuner_fixture;

namespace {

/** C^(-1/2) v by the square root's own definition: a Newton iteration for the square root of C. */
Eigen::VectorXd whitened(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& v) {
  Eigen::MatrixXd root = covariance;
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(v.size(), v.size());
  for (int step = 0; step < 60; ++step) {
    const Eigen::MatrixXd next = (root + inverse.inverse()) / 2;
    inverse = (inverse + root.inverse()) / 2;
    root = next;
  }
  return inverse * v;
}

}  // namespace

class TunerCmaEsTest : public QObject {
  Q_OBJECT

 private slots:
  void number_of_samples_is_that_of_the_tutorial() {
    QCOMPARE(tuner::default_samples(1), std::size_t{4});
    QCOMPARE(tuner::default_samples(10), std::size_t{10});
    QCOMPARE(tuner::default_samples(20), std::size_t{12});
  }

  void generations_follow_the_equations() {
    // Equations 41 to 47 of the tutorial, for six samples of which three have weights, in three dimensions.
    base::Random random(printed_seed());
    constexpr int n = 3;
    constexpr double dimension = n;
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(n);
    double sigma = 0.7;
    tuner::CovarianceAdaptation adaptation(mean, sigma, 6);
    std::vector<double> w;
    for (int i = 1; i <= 3; ++i) w.push_back(std::log(3.5) - std::log(i));
    const double sum = w[0] + w[1] + w[2];
    for (double& weight : w) weight /= sum;
    const double mu = 1 / (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const double cs = (mu + 2) / (dimension + mu + 5);
    const double ds = 1 + 2 * std::max(0.0, std::sqrt((mu - 1) / (dimension + 1)) - 1) + cs;
    const double cc = (4 + mu / dimension) / (dimension + 4 + 2 * mu / dimension);
    const double c1 = 2 / (std::pow(dimension + 1.3, 2) + mu);
    const double cm = std::min(1 - c1, 2 * (mu - 2 + 1 / mu) / (std::pow(dimension + 2, 2) + mu));
    const double chi = std::sqrt(dimension) * (1 - 1 / (4 * dimension) + 1 / (21 * dimension * dimension));
    Eigen::VectorXd ps = mean;
    Eigen::VectorXd pc = mean;
    Eigen::MatrixXd c = Eigen::MatrixXd::Identity(n, n);
    for (int generation = 1; generation <= 30; ++generation) {
      std::vector<Eigen::VectorXd> points;
      for (int i = 0; i < 6; ++i) points.push_back(adaptation.sample(random));
      std::ranges::sort(points, {}, [](const Eigen::VectorXd& point) {
        return std::pow(point[0] - 1, 2) + 20 * std::pow(point[1], 2) + std::abs(point[2]);
      });
      const Eigen::VectorXd y = (w[0] * points[0] + w[1] * points[1] + w[2] * points[2] - mean) / sigma;
      Eigen::MatrixXd rank_mu = Eigen::MatrixXd::Zero(n, n);
      for (std::size_t i = 0; i < 3; ++i) {
        const Eigen::VectorXd yi = (points[i] - mean) / sigma;
        rank_mu += w[i] * (yi * yi.transpose());
      }
      ps = (1 - cs) * ps + std::sqrt(cs * (2 - cs) * mu) * whitened(c, y);
      const bool h =
          ps.norm() / std::sqrt(1 - std::pow(1 - cs, 2 * generation)) < (1.4 + 2 / (dimension + 1)) * chi;
      pc = (1 - cc) * pc;
      if (h) pc += std::sqrt(cc * (2 - cc) * mu) * y;
      const double delta = h ? 0 : cc * (2 - cc);
      c = (1 + c1 * delta - c1 - cm) * c + c1 * (pc * pc.transpose()) + cm * rank_mu;
      mean += sigma * y;
      sigma *= std::exp(cs / ds * (ps.norm() / chi - 1));
      adaptation.update(points);
      QVERIFY((adaptation.mean() - mean).norm() < 1e-6);
      QVERIFY((adaptation.covariance() - c).norm() < 1e-6 * c.norm());
      QVERIFY(std::abs(adaptation.step() - sigma) < 1e-6 * sigma);
    }
  }

  void narrow_knobs_keep_their_floor() {
    tuner::CovarianceAdaptation adaptation(Eigen::VectorXd::Zero(2), 0.1, 6);
    adaptation.raise_deviations(Eigen::Vector2d(0.25, 0.01));
    QVERIFY(std::abs(0.1 * std::sqrt(adaptation.covariance()(0, 0)) - 0.25) < 1e-12);
    QVERIFY(std::abs(0.1 * std::sqrt(adaptation.covariance()(1, 1)) - 0.1) < 1e-12);
  }
};

KERNELSCAPE_PLAIN_TEST(TunerCmaEsTest)

}  // namespace kernelscape::tuner_cma_es_test
#include "tuner_cma_es_test.moc"
