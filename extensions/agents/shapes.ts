import { type Joi, label } from '../../kernel/contract/index.js';
import { featureDescriptions, features } from './model/features.js';

/** Matches text without NUL, which PostgreSQL doesn't accept. */
const withoutNul = /^[^\0]*$/;
const printable = /^\P{Cc}*$/u;
export const memberId = (j: Joi) => j.number().integer().min(1).max(2_147_483_647);
export const uuid = (j: Joi) => j.string().guid().lowercase();

export const approvalStatus = (j: Joi) =>
  j
    .string()
    .valid('pending', 'approved', 'denied', 'expired', 'cancelled')
    .label('ApprovalStatus')
    .description('Only approvals with this status');
export const prompt = (j: Joi) =>
  j
    .string()
    .max(32_000)
    .pattern(/^[^\0]*[^\s\0][^\0]*$/, 'text that is not only white space');
export const reason = (j: Joi) => j.string().trim().max(2_000).allow('').pattern(withoutNul, 'text').default('');

export const approval = (j: Joi) =>
  j
    .object({
      id: uuid(j).required(),
      session_id: uuid(j).required(),
      task_id: uuid(j).required(),
      message_id: uuid(j).required(),
      tool_call_id: uuid(j).required(),
      member_id: memberId(j).required(),
      requested_by: memberId(j).required(),
      name: j.string().required(),
      input: j.any().required(),
      effect: j.string().valid('read', 'write', 'dangerous').required(),
      status: j.string().valid('pending', 'approved', 'denied', 'expired', 'cancelled').required(),
      reason: j.string().allow('').required(),
      decided_by: memberId(j).allow(null).required(),
      decided_by_name: j.string().allow(null).required(),
      created_at: j.string().isoDate().required(),
      expires_at: j.string().isoDate().required(),
      decided_at: j.string().isoDate().allow(null).required(),
      room_title: j
        .string()
        .allow('', null)
        .required()
        .description('Title of the room (`session_id`) whose members will all see the result; null outside of rooms'),
    })
    .label('Approval');

const count = (j: Joi) => j.number().integer().min(0);
const time = (j: Joi) => j.string().isoDate();
const line = (j: Joi, max: number) => j.string().trim().max(max).pattern(printable, 'one line of text');

export const name = (j: Joi) => label(j, 64);
export const post = (j: Joi) => label(j, 64).allow('').description('Job title');
export const mode = (j: Joi) => j.string().valid('assistant', 'supervised', 'autonomous');
export const instructions = (j: Joi) =>
  j.string().max(16_000).allow('').pattern(withoutNul, 'text').description('Instructions about its work, besides name, post and mode');

const baseUrl = (j: Joi) => line(j, 2_000).allow('').description("OpenAI-compatible endpoint; empty means the platform's");
const featureSwitches = (j: Joi) =>
  j
    .object(Object.fromEntries(features.map((feature) => [feature, j.boolean().description(featureDescriptions[feature])])))
    .label('ModelFeatures')
    .description('Features that its server has (true) or lacks (false); overrides what was detected');
const maxTokens = (j: Joi) =>
  j.number().integer().min(0).max(1_000_000).description("Token limit of one answer; 0 means the server's limit");
const price = (j: Joi) => {
  const amount = () => j.number().min(0).max(1_000_000).required();
  const currency = j
    .string()
    .pattern(/^[A-Z]{3}$/, 'currency code')
    .required()
    .description('ISO 4217 code');
  return j.object({ input: amount(), output: amount(), currency }).allow(null).label('ModelPrice').description('For a million tokens');
};
const modelName = (j: Joi) => line(j, 200).allow('').description('Model name at the endpoint');

export const newEndpoint = (j: Joi) =>
  j.object({
    base_url: baseUrl(j),
    api_key: line(j, 1_000).allow('').description('Write-only; if omitted, the stored key for this address stays'),
    model: modelName(j),
    features: featureSwitches(j),
    max_tokens: maxTokens(j),
    price: price(j),
  });

export const modelTest = (j: Joi) =>
  j
    .object({
      ok: j.boolean().required(),
      error: j
        .object({ code: j.string().required(), message: j.string().required() })
        .allow(null)
        .required()
        .description('Why it failed, and what helps'),
      models: j.array().items(j.string()).required().description("Names of the server's models; empty if it has no list"),
      model: j.string().allow(null).required().description('The model that was asked'),
      answer: j.string().allow('', null).required().description('Start of its answer'),
      usage: j
        .object({ input_tokens: count(j).required(), output_tokens: count(j).required() })
        .allow(null)
        .required()
        .description('Tokens of the answer; they count for no AI employee'),
      duration_ms: count(j).required(),
    })
    .label('ModelTestReport');

const endpoint = (j: Joi) =>
  j
    .object({
      base_url: baseUrl(j).required(),
      model: modelName(j).required(),
      has_api_key: j.boolean().required(),
      features: featureSwitches(j).required(),
      max_tokens: maxTokens(j).required(),
      price: price(j).required(),
    })
    .label('ModelEndpoint');

const habit = (j: Joi) =>
  j
    .object({
      base_url: j.string().required(),
      model: j.string().required(),
      feature: j
        .string()
        .valid(...features)
        .required(),
      message: j.string().allow('').required(),
      learnt_at: j.string().isoDate().required(),
      expires_at: j.string().isoDate().required(),
    })
    .label('ModelHabit');

const all = (j: Joi) => j.string().valid('all');
const listed = (j: Joi, max: number) => j.array().items(line(j, 128)).unique().max(max);
export const skills = (j: Joi) => j.alternatives().try(all(j), listed(j, 200)).description('`all`, or the ids of skills');
export const tools = (j: Joi) => j.alternatives().try(all(j), listed(j, 500)).description('`all`, or the names of tools');
export const nodeUsers = (j: Joi) =>
  j
    .alternatives()
    .try(j.string().valid('admins', 'all'), j.array().items(memberId(j)).unique().max(1_000))
    .description('Members who may let it use its node: `admins`, `all`, or member ids');
export const nodeIds = (j: Joi) => j.array().items(memberId(j)).unique().max(16).description('Nodes it works on while its own is offline');
export const fallbacks = (j: Joi) =>
  j.array().items(newEndpoint(j)).max(5).description('Tried in this order if the model fails before it has written anything');

const limitKeys = (j: Joi) => ({
  steps: j.number().integer().min(1).max(1_000).description('Model requests in a run'),
  tokens: j.number().integer().min(1).max(100_000_000).description('Tokens in a run'),
  seconds: j.number().integer().min(1).max(86_400).description('Seconds of a run'),
  first_byte_seconds: j.number().integer().min(1).max(3_600).description("Seconds until the first byte of a model's answer"),
  idle_seconds: j.number().integer().min(1).max(3_600).description('Seconds between two bytes of an answer'),
  tokens_per_day: j.number().integer().min(0).max(2_000_000_000).description('Tokens a day (UTC); 0 means no limit'),
});

export const newLimits = (j: Joi) => j.object(limitKeys(j));

export const dayBudget = (j: Joi) =>
  j
    .object({
      day: j.string().required(),
      used: count(j).required(),
      limit: count(j).required(),
      paused: j.boolean().required(),
      resets_at: time(j).required(),
    })
    .label('DayBudget');

const status = (j: Joi) => j.string().valid('idle', 'working', 'waiting', 'paused', 'offline');

export const profile = (j: Joi) =>
  j
    .object({
      member_id: memberId(j).required(),
      username: j.string().required(),
      name: name(j).required(),
      post: post(j).required(),
      mode: mode(j).required(),
      status: status(j).required(),
      oversight: j.boolean().required().description('Whether administrators may read its conversations'),
      skills: j.array().items(j.string()).required().description('Names'),
      tools: j
        .array()
        .items(j.string())
        .required()
        .description('Names of the tools that it may use for you; without those of servers that are unavailable now'),
      node_status: j
        .string()
        .valid('creating', 'online', 'offline', 'error', 'removing')
        .allow(null)
        .required()
        .description('Null if it has no work node'),
    })
    .label('EmployeeProfile');

export const employee = (j: Joi) =>
  j
    .object({
      member_id: memberId(j).required(),
      name: name(j).required(),
      post: post(j).required(),
      mode: mode(j).required(),
      status: status(j).required(),
      instructions: instructions(j).required(),
      model: endpoint(j).allow(null).required(),
      fallback_models: j.array().items(endpoint(j)).required(),
      model_habits: j
        .array()
        .items(habit(j))
        .required()
        .description('Features that the servers of these models were found to lack; expire after a day'),
      fallback_node_ids: nodeIds(j).required(),
      skills: skills(j).required(),
      missing_skills: listed(j, 200).required().description('Selected skills that are not installed now'),
      tools: tools(j).required(),
      missing_tools: listed(j, 500).required().description('Selected tools that do not exist now'),
      node_users: nodeUsers(j).required(),
      oversight: j.boolean().required(),
      limits: j
        .object(limitKeys(j))
        .fork(Object.keys(limitKeys(j)), (limit) => limit.required())
        .required(),
      budget: dayBudget(j).required(),
      updated_at: time(j).allow(null).required(),
    })
    .label('EmployeeSettings');

const cost = (j: Joi) => j.object({ currency: j.string().required(), amount: j.number().min(0).required() }).label('ModelCost');

const usedKeys = (j: Joi) => ({
  input_tokens: count(j).required(),
  output_tokens: count(j).required(),
  calls: count(j).required(),
  replies: count(j).required(),
  costs: j.array().items(cost(j)).required().description('By currency, at the prices of now, of models that have a price'),
});

const used = (j: Joi, keys: Record<string, ReturnType<Joi['any']>>) => j.array().items(j.object({ ...keys, ...usedKeys(j) }));

export const usageSummary = (j: Joi) =>
  j
    .object({
      from: j.string().required(),
      to: j.string().required(),
      ...usedKeys(j),
      days: used(j, { day: j.string().required() }).required(),
      employees: used(j, { member_id: memberId(j).required(), name: j.string().allow(null).required() }).required(),
      models: used(j, { model: j.string().required() }).required(),
      members: used(j, { requested_by: memberId(j).allow(null).required(), name: j.string().allow(null).required() })
        .required()
        .description('Who asked, in the last 90 days; null: unknown, or deleted since'),
      rooms: used(j, { session_id: uuid(j).allow(null).required(), title: j.string().allow('', null).required() })
        .required()
        .description('In the last 90 days; null: outside of rooms. Only open rooms have a title'),
    })
    .label('UsageSummary');

export const usageReport = (j: Joi) =>
  j
    .object({
      member_id: memberId(j).required(),
      from: j.string().required(),
      to: j.string().required(),
      ...usedKeys(j),
      days: j
        .array()
        .items(j.object({ day: j.string().required(), ...usedKeys(j) }))
        .required(),
      models: j
        .array()
        .items(j.object({ model: j.string().required(), ...usedKeys(j) }))
        .required(),
      budget: dayBudget(j).required(),
    })
    .label('UsageReport');

export const replyUsage = (j: Joi) =>
  j
    .object({
      message_id: j.string().required(),
      model: j.string().required(),
      at: time(j).required(),
      input_tokens: count(j).required(),
      output_tokens: count(j).required(),
      calls: count(j).required(),
      estimated: j.boolean().required(),
    })
    .label('ReplyUsage');

export const moment = (j: Joi) => j.string().max(40);
