import joi, { type ErrorReport, type ExtensionFactory, type Root } from 'joi';

const commonYears: ExtensionFactory = (base) => ({
  type: 'string',
  base: base.string(),
  validate(value: string, { schema, error }): { value: string; errors: ErrorReport } | undefined {
    if (!schema.$_getRule('isoDate')) return undefined;
    const year = new Date(value).getUTCFullYear();
    return year >= 1 && year <= 9_999 ? undefined : { value, errors: error('string.isoDate') };
  },
});

/**
 * Joi for the schemas of operations. Its `isoDate` takes only the years 1 to 9999: Joi's also takes six digits, while RFC 3339, section 5.6 has
 * four, and no database keeps all others.
 */
export const operationJoi = joi.extend(commonYears) as Root;
