import { definePage } from '@platform/kit';
import { NewNodePage } from './new-node.js';
import { NodeDetail } from './node.js';
import { Nodes } from './nodes.js';
import './page.css';

export default definePage({
  views: { '/nodes': Nodes, '/nodes/new': NewNodePage, '/nodes/:id': NodeDetail, '/nodes/:id/:part': NodeDetail },
});
