/** Figures over time. */
export { LineChart, type LineChartProps, type Series } from './charts/line-chart.js';
export { Sparkline, type SparklineProps } from './charts/sparkline.js';
