import type { Examples } from '../../kernel/contract/index.js';
import type { NodesApi } from './contract.js';

const node = (): NodesApi['nodes.get']['answer'] => ({
  id: 1,
  name: 'build-1',
  node_type: 'docker',
  host: '',
  status: 'offline',
  reason: '',
  reason_code: 'engine_unavailable',
  since: '2026-11-26T08:00:00.000Z',
  container_id: null,
  last_heartbeat: null,
  created_by: 1,
  created_at: '2026-11-26T09:00:00.000Z',
  updated_at: '2026-11-26T09:05:00.000Z',
  draining: false,
  shell: null,
  walls: { fenced: false, reason: '' },
  config: { image: 'python:3.12-slim', memory_limit: '512m', cpu_limit: '1.0', network: 'internet' },
});

/** Worked examples of the operations. A test runs them. */
export const examples: Examples<NodesApi> = {
  'nodes.list': () => ({ input: { limit: 50 }, answer: { items: [node()], total: 2 } }),
  'nodes.get': () => ({ input: { id: 1 }, answer: node() }),
  'nodes.register': () => ({
    input: {
      name: 'gpu-1',
      node_type: 'docker',
      host: 'tcp://docker.example.org:2376',
      config: { image: 'python:3.12-slim', memory_limit: '2g', cpu_limit: '2.0' },
    },
    answer: {
      ...node(),
      id: 3,
      name: 'gpu-1',
      host: 'tcp://docker.example.org:2376',
      reason: "The engine at tcp://docker.example.org:2376 can't be reached (unknown host)",
      config: { image: 'python:3.12-slim', memory_limit: '2g', cpu_limit: '2.0', network: 'internet' },
    },
  }),
  'nodes.create': () => ({
    input: { name: 'local-1', config: { memory_limit: '1g' }, respond_async: true },
    answer: {
      ...node(),
      name: 'local-1',
      status: 'creating',
      reason_code: '',
      id: 4,
      config: { image: 'python:3.12-slim', memory_limit: '1g', cpu_limit: '1.0', network: 'internet' },
    },
    status: 202,
  }),
  'nodes.update': () => ({
    input: { id: 1, name: 'build-main' },
    answer: {
      ...node(),
      name: 'build-main',
      host: 'unix:///var/run/docker.sock',
      reason: "The engine at unix:///var/run/docker.sock can't be reached (the socket does not exist)",
    },
  }),
  'nodes.delete': () => ({ input: { id: 2 }, answer: { id: 2, status: 'removing' }, status: 202 }),
  'nodes.health': () => ({
    input: { id: 1 },
    answer: { status: 'unhealthy', uptime_seconds: 0, last_heartbeat: null, reason: '', since: '2026-11-26T08:00:00.000Z' },
  }),
  'nodes.stats': () => ({
    input: { id: 1 },
    answer: { cpu_usage_percent: 3.2, memory_usage_mb: 84.5, memory_limit_mb: 512, disk_usage_mb: 12.1 },
  }),
  'nodes.drain': () => ({
    input: { id: 1, draining: true },
    answer: {
      ...node(),
      name: 'build-main',
      host: 'unix:///var/run/docker.sock',
      reason: "The engine at unix:///var/run/docker.sock can't be reached (the socket does not exist)",
      draining: true,
    },
  }),
  'nodes.events': () => ({ input: { id: 1 } }),
  'nodes.exec': () => ({ input: { id: 1, command: 'uname -a', timeout_s: 60 } }),
  'nodes.logs': () => ({ input: { id: 1, tail: 100 } }),
  'nodes.files_get': () => ({ input: { id: 1, path: '/workspace' } }),
  'nodes.files_put': () => ({ input: { id: 1, path: '/workspace' }, answer: { path: '/workspace', bytes: 10240 } }),
};
