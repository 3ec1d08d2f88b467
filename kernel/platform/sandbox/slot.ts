/** The slot in which a plugin's own process is found: a `PluginProcess`. */
export const processSlot = 'kernel.process';
