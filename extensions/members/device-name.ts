type Names = readonly (readonly [RegExp, string])[];

/** Browsers by a part of their `User-Agent`. Most name others too, so the first match counts. */
const browsers: Names = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: Names = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Describes a client by its `User-Agent`: `Firefox on Linux`; returns the text itself for programs that are not known browsers. */
export function deviceName(agent: string): string {
  const [browser, system] = [nameIn(browsers, agent), nameIn(systems, agent)];
  if (!agent.startsWith('Mozilla/') || browser === undefined) return agent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function nameIn(names: Names, agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1];
}
