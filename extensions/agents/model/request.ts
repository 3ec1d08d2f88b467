import type { OpenAI } from 'openai';
import type { Ask, Prompt, ToolSpec } from './prompt.js';
import type { ImageUrls } from './sight.js';

type Request = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type RequestMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** An ask as the protocol has it; without images for a model that takes none. */
export function requestOf({ prompts, tools = [] }: Ask, { model, urls }: { model: string; urls: ImageUrls | undefined }): Request {
  return {
    model,
    messages: prompts.map((prompt) => (urls ? messageOf(prompt, urls) : messageOf(inWords(prompt), new Map()))),
    stream: true,
    stream_options: { include_usage: true },
    // An empty list is refused by some servers.
    ...(tools.length > 0 ? { tools: tools.map(toolOf) } : {}),
  };
}

/** Whether there is an image to be seen. */
export function hasImages({ prompts }: Ask): boolean {
  return prompts.some(({ images = [] }) => images.length > 0);
}

function toolOf({ name, description, input }: ToolSpec): OpenAI.Chat.Completions.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: input as Record<string, unknown> } };
}

function messageOf({ role, content, images = [], tool_calls = [], tool_call_id = '' }: Prompt, urls: ImageUrls): RequestMessage {
  if (role === 'tool') return { role, content, tool_call_id };
  if (role === 'assistant' && tool_calls.length > 0) {
    const calls = tool_calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: given },
    }));
    return { role, content: content === '' ? null : content, tool_calls: calls };
  }
  const seen = images.flatMap((image) => urls.get(image) ?? []);
  if (role !== 'user' || seen.length === 0) return { role, content };
  const text = content === '' ? [] : [{ type: 'text' as const, text: content }];
  return { role, content: [...text, ...seen.map((url) => ({ type: 'image_url' as const, image_url: { url } }))] };
}

/** The message for a model that takes no images. */
function inWords({ images = [], ...prompt }: Prompt): Prompt {
  if (images.length === 0) return prompt;
  const count = images.length === 1 ? 'An image was' : `${images.length} images were`;
  const note = `[${count} sent with this message, which you cannot see: this model takes no images. Say so where it matters.]`;
  return { ...prompt, content: prompt.content === '' ? note : `${prompt.content}\n\n${note}` };
}
