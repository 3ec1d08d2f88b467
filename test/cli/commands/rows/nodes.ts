import type { Rows } from '../row.js';

const node = { 7: '=1' } as const;

/** Work nodes: one is made, used and removed. */
export const nodesRows: Rows = {
  'node create': { given: { 'python:3.12-slim': '=127.0.0.1:5000/busybox:latest' }, says: /^1\tbox\tonline\t/, needs: 'docker' },
  'node list': { says: /^1\tbox\tonline\t/, needs: 'docker' },
  'node show': { given: node, until: /fenced.*true/, differs: [/[0-9a-f]{64}/g], says: /^1\tbox\tonline\t/, needs: 'docker' },
  'node health': { given: node, differs: [/(?<=healthy\t|uptime seconds: +)\d+/g], until: /healthy/, says: /^healthy\t/, needs: 'docker' },
  'node stats': { given: node, says: /^[\d.]+\t[\d.]+\t1024\t/, field: 'memory_limit_mb', needs: 'docker', differs: [/[\d.]+/g] },
  'node exec': {
    given: { ...node, 'ls -l': '=ls -d /workspace' },
    says: /^\/workspace\n$/,
    tells: /^$/,
    needs: 'docker',
  },
  'node put': { given: node, says: /^\/workspace\t1024\n$/, needs: 'docker' },
  'node fetch': { given: node, says: /^$/, needs: 'docker' },
  'node logs': { given: node, says: /^/, needs: 'docker' },
  'node events': { given: node, differs: [/[\s\S]*/], says: /"type":"node\.updated"/, needs: 'docker' },
  'node drain': { given: node, says: /^1\tbox\tonline\t.*\ttrue\t/, needs: 'docker' },
  'node change': { given: node, says: /^1\tbuilder\tonline\t/, needs: 'docker' },
  'node rm': { given: node, says: /^$/, needs: 'docker' },
  'node register': { given: { 'tcp://10.0.0.5:2376': '=unix:///nowhere/docker.sock' }, says: /^\d+\tfar\toffline\t/ },
};
