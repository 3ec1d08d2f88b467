/** The heavier components for forms and tables; pages load them when they need them. */
export { ComboBox, type ComboBoxProps } from './forms/combo-box.js';
export { DateTimeField, type DateTimeFieldProps } from './forms/date-time-field.js';
export { DropZone, type DropZoneProps, FileButton, type FileButtonProps } from './forms/files.js';
export { NumberField, type NumberFieldProps } from './forms/number-field.js';
export { RadioGroup, type RadioGroupProps, type RadioOption } from './forms/radio-group.js';
export { type FormValue, SchemaForm, type SchemaFormProps } from './forms/schema-form.js';
export type { Labels } from './forms/schema-kind.js';
export { type Option, Select, type SelectProps } from './forms/select.js';
export { type Column, type Sort, Table, type TableProps } from './forms/table.js';
export { type TabEntry, Tabs, type TabsProps } from './forms/tabs.js';
