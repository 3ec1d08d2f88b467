/** Slot of a plugin's own process, a `PluginProcess`. */
export const processSlot = 'kernel.process';
