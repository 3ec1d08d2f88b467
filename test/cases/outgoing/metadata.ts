/** An address at which a cloud tells a machine about itself. */
export interface MetadataCase {
  name: string;
  source: string;
  address: string;
}

export const metadataCases: readonly MetadataCase[] = [
  {
    name: 'AWS, Google, Azure, OpenStack, DigitalOcean, Hetzner',
    source: 'docs.aws.amazon.com: instance metadata',
    address: '169.254.169.254',
  },
  { name: 'the credentials of an AWS container', source: 'docs.aws.amazon.com: task IAM roles', address: '169.254.170.2' },
  { name: 'the credentials of an AWS pod', source: 'docs.aws.amazon.com: EKS pod identity', address: '169.254.170.23' },
  { name: 'AWS by IPv6', source: 'docs.aws.amazon.com: IMDS IPv6 endpoint', address: 'fd00:ec2::254' },
  { name: 'the credentials of an AWS pod by IPv6', source: 'docs.aws.amazon.com: EKS pod identity', address: 'fd00:ec2::23' },
  { name: 'Google by IPv6', source: 'cloud.google.com: metadata server', address: 'fd20:ce::254' },
  {
    name: "Azure's wire server, at a public address",
    source: 'learn.microsoft.com: what is IP address 168.63.129.16',
    address: '168.63.129.16',
  },
  { name: "Azure's wire server as an IPv4-mapped IPv6 address", source: 'RFC 4291 2.5.5.2', address: '::ffff:168.63.129.16' },
  { name: "Azure's wire server behind NAT64", source: 'RFC 6052', address: '64:ff9b::a83f:8110' },
  { name: 'Alibaba', source: 'alibabacloud.com: instance metadata', address: '100.100.100.200' },
  { name: 'Volcengine', source: 'volcengine.com: instance metadata', address: '100.96.0.96' },
  { name: 'Oracle', source: 'docs.oracle.com: instance metadata', address: '192.0.0.192' },
  { name: 'Tencent', source: 'cloud.tencent.com: instance metadata', address: '169.254.0.23' },
  { name: 'Scaleway', source: 'scaleway.com: instance metadata', address: '169.254.42.42' },
  { name: 'Scaleway by IPv6', source: 'scaleway.com: instance metadata', address: 'fd00:42::42' },
];
